import { create } from '@bufbuild/protobuf'
import { GetPersonRequestSchema } from '../../gen/lrs/v1/statements_pb.js'
import { paths } from '../../shared/rest.ts'
import { etagOf, json } from '../http/answer.ts'
import { required } from '../http/head.ts'
import type { Resource } from '../resource.ts'

/** The Agents resource (xAPI 1.0.3 Communication 2.4). */
export function agents(): Resource {
  return {
    path: paths.agents,
    actions: {
      GET: {
        parameters: { agent: required },
        async run({ parameters: { agent }, caller }, relay) {
          const person = await relay.call('getPerson', create(GetPersonRequestSchema, { agent }), caller)
          return json(person.json, [], etagOf(person.json))
        },
      },
    },
  }
}
