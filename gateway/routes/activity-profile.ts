import { paths } from '../../shared/rest.ts'
import type { Resource } from '../resource.ts'
import { required } from '../http/head.ts'
import { documents } from './documents.ts'

/** The Activity Profile resource (xAPI 1.0.3 Communication 2.7). */
export function activityProfile(): Resource {
  return documents({
    path: paths.activityProfile,
    idName: 'profileId',
    scopeParameters: { activityId: required },
    scope: ({ activityId }) => ({ kind: { case: 'activityProfile', value: { activityId } } }),
  })
}
