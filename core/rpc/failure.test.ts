import { Writable } from 'node:stream'
import { Code } from '@connectrpc/connect'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { FailureSchema, Reason } from '../../gen/lrs/v1/failure_pb.js'
import { checkAll } from '../studio/check-all.ts'
import { Problem } from '../xapi/problem.ts'
import { connectErrorOf } from './failure.ts'

function told(error: unknown) {
  const lines: string[] = []
  const connectError = connectErrorOf(error, pino(new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) })))
  return { code: connectError.code, failure: connectError.findDetails(FailureSchema)[0], logged: lines.length }
}

test('a fault of ours is masked and logged; that a caller has gone in the middle of its answer is neither', () => {
  expect(told(new Error('lost the thread'))).toMatchObject({ code: Code.Internal, failure: { reason: Reason.INTERNAL, message: expect.not.stringContaining('thread') }, logged: 1 })
  const gone = new Writable()
  gone.destroy()
  const write = new Promise((resolve) => gone.on('error', () => {}).write('x', resolve))
  return expect(write.then(told)).resolves.toMatchObject({ code: Code.Canceled, logged: 0 })
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
  expect(told(caught)).toMatchObject({ code: Code.InvalidArgument, failure: { path: 'name', message: 'name: must be right', further: [{ path: 'email', message: 'email: must be right', further: [] }] } })
  expect(checkAll(() => 'a', () => 1)).toEqual(['a', 1])
  expect(() => checkAll(() => { throw new TypeError('ours') }, wrong('name'))).toThrow(TypeError)
})
