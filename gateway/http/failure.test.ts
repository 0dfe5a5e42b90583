import { expect, test } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { failure, stage } from '../../test/support/gateway.ts'

const cases: [Reason, string, string, number, object][] = [
  [
    Reason.INVALID,
    'is missing',
    'statements[3].actor',
    400,
    {
      message: 'statements[3].actor: is missing',
      path: 'statements[3].actor',
      faults: [{ index: 3, path: 'statements[3].actor', message: 'is missing' }],
    },
  ],
  [Reason.INVALID, 'verb.id: must be an IRI', 'verb.id', 400, { message: 'verb.id: must be an IRI', path: 'verb.id' }],
  [Reason.INVALID, 'The body is no JSON', '', 400, { message: 'The body is no JSON' }],
  [Reason.UNAUTHENTICATED, 'Unknown credential', '', 401, { message: 'Unknown credential' }],
  [Reason.FORBIDDEN, 'Needs the scope state', '', 403, { message: 'Needs the scope state' }],
  [Reason.NOT_FOUND, 'No such statement', '', 404, { message: 'No such statement' }],
  [Reason.CONFLICT, 'If-Match is needed', '', 409, { message: 'If-Match is needed' }],
  [Reason.PRECONDITION_FAILED, 'Changed meanwhile', '', 412, { message: 'Changed meanwhile' }],
  [Reason.TOO_MANY_STATEMENTS, '251', '', 413, { error: expect.stringContaining('max 250 statements') }],
  [Reason.TOO_LARGE, '', '', 413, { error: 'Request body too large' }],
  [Reason.RATE_LIMITED, 'statements', '', 429, { error: 'Rate limit exceeded' }],
  [Reason.UNAVAILABLE, 'The database is down', '', 503, { message: 'The database is down' }],
  [Reason.INTERNAL, 'relation does not exist', '', 500, { message: 'Internal error' }],
  [Reason.UNSPECIFIED, 'x', '', 500, { message: 'Internal error' }],
]

test.each(cases)('reason %s (%s, %s) is %s', async (reason, message, path, status, body) => {
  const { ask } = await stage(() => failure(reason, message, path))
  const heard = await ask('GET', '/xapi/statements')
  expect(heard.status).toBe(status)
  expect(JSON.parse(heard.text)).toEqual(body)
  expect(heard.headers).toMatchObject({
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
    'x-experience-api-version': '1.0.3',
    'x-experience-api-consistent-through': '1970-01-01T00:00:00.000000Z',
  })
  expect(heard.headers['retry-after']).toBeUndefined()
  expect(heard.headers['www-authenticate']).toBe(status === 401 ? 'Bearer realm="xAPI"' : undefined)
})
