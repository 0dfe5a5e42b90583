import { expect, test } from 'vitest'
import { restOf } from './rest.ts'

test.each([
  ['store statements', 'POST /xapi/statements', 200],
  ['put statements', 'PUT /xapi/statements', 204],
  ['read statements', 'GET /xapi/statements', 200],
  ['read agents', 'GET /xapi/agents', 200],
  ['merge state', 'POST /xapi/activities/state', 204],
  ['look activityProfile', 'HEAD /xapi/activities/profile', 200],
  ['remove agentProfile', 'DELETE /xapi/agents/profile', 204],
] as const)('%s is %s', (action, request, status) => expect(restOf(action)).toEqual({ request, status }))
