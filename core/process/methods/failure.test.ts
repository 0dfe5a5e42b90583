import { Writable } from 'node:stream'
import { Code, ConnectError } from '@connectrpc/connect'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { FailureSchema, Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { rowOf } from '../../../shared/reasons.ts'
import { checkAll } from '../rules/check-all.ts'
import { Problem } from '../problem.ts'
import { connectErrorOf, toldOf } from './failure.ts'

function told(error: unknown, signal?: AbortSignal) {
  const lines: string[] = []
  const connectError = connectErrorOf(
    error,
    pino(new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) })),
    { signal },
  )
  return { code: connectError.code, failure: connectError.findDetails(FailureSchema)[0], logged: lines.length }
}

test('a fault of ours is masked and logged; that a caller has gone in the middle of its answer is neither', () => {
  expect(told(new Error('lost the thread'))).toMatchObject({
    code: Code.Internal,
    failure: { reason: Reason.INTERNAL, message: expect.not.stringContaining('thread') },
    logged: 1,
  })
  const gone = new Writable()
  gone.destroy()
  const write = new Promise((resolve) => gone.on('error', () => {}).write('x', resolve))
  // of a body in HTTP/1.1 that was cut
  expect(told(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))).toMatchObject({
    code: Code.Canceled,
    logged: 0,
  })
  // in HTTP/2
  const cut = Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  expect(told(cut, AbortSignal.abort())).toMatchObject({ code: Code.Canceled, logged: 0 })
  expect(told(cut, new AbortController().signal)).toMatchObject({ code: Code.Internal, logged: 1 })
  // as somebody says whom we asked
  expect(told(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))).toMatchObject({
    code: Code.Internal,
    logged: 1,
  })
  return expect(write.then((error) => told(error))).resolves.toMatchObject({ code: Code.Canceled, logged: 0 })
})

test.each([
  [
    'what is no Protobuf',
    new ConnectError('parse binary: premature EOF', Code.Internal),
    { reason: Reason.INVALID, status: 400, message: 'The message cannot be read: premature EOF' },
  ],
  [
    'what is no JSON',
    new ConnectError('no such field', Code.InvalidArgument),
    { reason: Reason.INVALID, status: 400, message: 'The message cannot be read: no such field' },
  ],
  [
    'what is too large',
    new ConnectError('9 bytes', Code.ResourceExhausted),
    { reason: Reason.TOO_LARGE, status: 413, message: '9 bytes' },
  ],
  [
    'a fault of ours',
    new ConnectError('serialize binary: x', Code.Internal),
    { reason: Reason.INTERNAL, status: 500, message: expect.stringContaining('our side') },
  ],
])('of a stream that goes on, the studio of a game is told of %s', (_about, error, { status, ...failure }) => {
  const { failure: told } = toldOf(error)
  expect(told).toMatchObject(failure)
  expect(rowOf(told.reason).status).toBe(status)
})

test('what is wrong with a form is told field by field', () => {
  const wrong = (path: string) => () => {
    throw new Problem(path, 'must be right')
  }
  const check = () => checkAll<[string, number, string]>(wrong('name'), () => 1, wrong('email'))
  const caught = (() => {
    try {
      return check()
    } catch (error) {
      return error
    }
  })()
  expect(told(caught)).toMatchObject({
    code: Code.InvalidArgument,
    failure: {
      path: 'name',
      message: 'name: must be right',
      further: [{ path: 'email', message: 'email: must be right', further: [] }],
    },
  })
  expect(
    checkAll(
      () => 'a',
      () => 1,
    ),
  ).toEqual(['a', 1])
  expect(() =>
    checkAll(() => {
      throw new TypeError('ours')
    }, wrong('name')),
  ).toThrow(TypeError)
})

test('of many faults the first ten further ones are told: gRPC sends them as a header', () => {
  const further = Array.from({ length: 249 }, (_, n) => new Problem(`statements[${n + 1}]`, 'must be right'))
  const all = new Problem('statements[0]', 'must be right', '', further)
  expect(told(all).failure?.further.map(({ path }) => path)).toEqual(further.slice(0, 10).map(({ path }) => path))
  // the gateway gets all of them
  expect(toldOf(all).failure.further).toHaveLength(249)
})
