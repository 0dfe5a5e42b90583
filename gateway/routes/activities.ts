import { create } from '@bufbuild/protobuf'
import { GetActivityRequestSchema } from '../../gen/lrs/v1/statements_pb.js'
import { paths } from '../../shared/rest.ts'
import { etagOf, json } from '../http/answer.ts'
import { required } from '../http/head.ts'
import type { Resource } from '../resource.ts'

/** The Activities resource (xAPI 1.0.3 Communication 2.5). */
export function activities(): Resource {
  return {
    path: paths.activities,
    actions: {
      GET: {
        parameters: { activityId: required },
        async run({ parameters: { activityId }, caller }, relay) {
          const activity = await relay.call('getActivity', create(GetActivityRequestSchema, { activityId }), caller)
          return json(activity.json, [], etagOf(activity.json))
        },
      },
    },
  }
}
