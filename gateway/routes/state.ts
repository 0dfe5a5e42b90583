import { paths } from '../../shared/rest.ts'
import type { Resource } from '../resource.ts'
import { required, text } from '../http/head.ts'
import { documents } from './documents.ts'

/** The State resource (xAPI 1.0.3 Communication 2.3). */
export function state(): Resource {
  return documents({
    path: paths.state,
    idName: 'stateId',
    scopeParameters: { activityId: required, agent: required, registration: text },
    scope: ({ activityId, agent, registration }) => ({
      kind: { case: 'state', value: { activityId, agent, registration } },
    }),
  })
}
