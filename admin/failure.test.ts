import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { FailureSchema, Reason, Subject } from '../gen/lrs/v1/failure_pb.js'
import { isCut, lineOf } from './failure.ts'

const otherRole =
  'The token of --token has another role. It must be the admin token in LRS_SERVICE_TOKENS of http://core.'
const cases: [keyof typeof Reason, keyof typeof Subject, line: string][] = [
  [
    'UNAUTHENTICATED',
    'SERVICE_TOKEN',
    'The core at http://core rejects the token of --token. It must be the admin token in LRS_SERVICE_TOKENS of core.',
  ],
  ['FORBIDDEN', 'SERVICE_TOKEN', otherRole],
  ['UNAUTHENTICATED', 'SESSION', otherRole],
  ['UNAUTHENTICATED', 'CREDENTIAL', 'There is no valid credential with this key: "games list" shows the keys.'],
  ['NOT_FOUND', 'GAME', 'None: "games list" shows them.'],
  ['NOT_FOUND', 'CREDENTIAL', 'None: "games list" shows them.'],
  ['NOT_FOUND', 'STUDIO', 'None: "studios list" shows them.'],
  ['NOT_FOUND', 'RESERVATION', 'None: "reservations list" shows them.'],
  ['NOT_FOUND', 'UNSPECIFIED', 'None.'],
  ['CONFLICT', 'GAME', 'None.'],
  ['UNAUTHENTICATED', 'UNSPECIFIED', 'None.'],
]

test.each(cases)('%s about %s is told whatever words core has for it', (reason, subject, line) => {
  const value = { reason: Reason[reason], subject: Subject[subject], message: 'None.' }
  const error = new ConnectError('None.', Code.Unknown, undefined, [{ desc: FailureSchema, value }])
  expect(lineOf(error, { coreUrl: 'http://core', tokenFrom: '--token', isOwn: false })).toBe(line)
})

test('a connection is cut without a Failure; what core refuses is no cut', () => {
  const failed = (reason: Reason) =>
    new ConnectError('', Code.Internal, undefined, [{ desc: FailureSchema, value: { reason } }])
  // as Connect says when a stream ends without its status
  expect(isCut(new ConnectError('missing status', Code.Internal))).toBe(true)
  expect(isCut(failed(Reason.UNAVAILABLE))).toBe(true)
  expect(isCut(failed(Reason.INTERNAL))).toBe(false)
  expect(isCut(new Error('a bug'))).toBe(false)
})
