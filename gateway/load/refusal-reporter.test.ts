import { create } from '@bufbuild/protobuf'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { NoteRefusalRequestSchema } from '../../gen/lrs/v1/relay_pb.js'
import { refusalReporter } from './refusal-reporter.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const caller = (authorization: string) => ({ authorization, name: '', address: '', version: '', requestId: '' })
const refused = (message: string) =>
  create(NoteRefusalRequestSchema, { request: 'POST /xapi/statements', status: 413, failure: { message } })

function stage(answer: () => Promise<unknown> | undefined = () => Promise.resolve()) {
  const told: [string, string, number][] = []
  const tell = refusalReporter(({ failure, times }, { authorization }) => {
    const answered = answer()
    if (answered) told.push([authorization, failure!.message, times])
    return answered
  })
  return { told, tell }
}

test('the first of a kind is told at once, those that follow together and by their number', async () => {
  const { told, tell } = stage()
  for (let n = 0; n < 5; n++) tell(refused('too large'), caller('a'))
  tell(refused('other'), caller('a'))
  tell(refused('too large'), caller('b'))
  expect(told.splice(0)).toEqual([
    ['a', 'too large', 0],
    ['a', 'other', 0],
    ['b', 'too large', 0],
  ])
  await vi.advanceTimersByTimeAsync(100)
  expect(told.splice(0)).toEqual([['a', 'too large', 4]])
  tell(refused('too large'), caller('a'))
  tell(refused('too large'), caller('b'))
  expect(told.splice(0)).toEqual([['b', 'too large', 0]])
  await vi.advanceTimersByTimeAsync(100)
  expect(told.splice(0)).toEqual([['a', 'too large', 1]])
  await vi.advanceTimersByTimeAsync(1000)
  expect(told).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

test('a core that fails, or cannot be told, is told of what comes later', async () => {
  let answer: () => Promise<unknown> | undefined = () => Promise.reject(new Error('lost'))
  const { told, tell } = stage(() => answer())
  tell(refused('too large'), caller('a'))
  tell(refused('too large'), caller('a'))
  await vi.advanceTimersByTimeAsync(100)
  expect(told.splice(0).map(([, , times]) => times)).toEqual([0, 1])
  await vi.advanceTimersByTimeAsync(100)
  answer = () => undefined
  tell(refused('too large'), caller('a'))
  answer = () => Promise.resolve()
  tell(refused('too large'), caller('a'))
  expect(told).toEqual([['a', 'too large', 0]])
})

test('of more kinds than it remembers core is not told', () => {
  const { told, tell } = stage(() => new Promise(() => {}))
  for (let n = 0; n < 600; n++) tell(refused('too large'), caller(String(n)))
  expect(told).toHaveLength(500)
})
