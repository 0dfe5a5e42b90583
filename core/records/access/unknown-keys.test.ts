import { expect, test } from 'vitest'
import { unknownKeys } from './unknown-keys.ts'

test('calls that bring the same new key at once share one look-up, whatever the others of their network do', async () => {
  const { look } = unknownKeys(1)
  let queries = 0
  let answer: (found: string) => void = () => {}
  const find = () => {
    queries++
    return new Promise<string>((resolve) => void (answer = resolve))
  }
  const calls = Array.from({ length: 500 }, () => look('192.0.2.1', 'key:secret', find))
  await expect.poll(() => queries).toBe(1)
  answer('found')
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['found']))
  expect(queries).toBe(1)
  // the next call looks again: the caller remembers what was found
  const next = look('192.0.2.1', 'key:secret', async () => undefined)
  expect(await next).toBeUndefined()
})
