import { paths } from '../../shared/rest.ts'
import type { Resource } from '../resource.ts'
import { required } from '../http/head.ts'
import { documents } from './documents.ts'

/** The Agent Profile resource (xAPI 1.0.3 Communication 2.6). */
export function agentProfile(): Resource {
  return documents({
    path: paths.agentProfile,
    idName: 'profileId',
    scopeParameters: { agent: required },
    scope: ({ agent }) => ({ kind: { case: 'agentProfile', value: { agent } } }),
  })
}
