import { expect, test } from 'vitest'
import { Refusal } from './refusal.ts'
import { turns } from './turns.ts'

test('when the database does not answer one game, those who wait are told so, of whichever game', async () => {
  const line = turns({ atOnce: 1, waiting: 10, patience: 60_000 })
  const away = new Refusal('unavailable', 'gone', { away: true })
  const first = Promise.withResolvers<never>()
  const slow = Promise.withResolvers<string>()
  const failing = line.take(1, () => first.promise)
  const going = line.take(2, () => slow.promise)
  const waiting = [1, 2].map((game) => line.take(game, () => Promise.resolve('done')))
  first.reject(away)
  for (const one of [failing, ...waiting]) await expect(one).rejects.toBe(away)
  slow.resolve('done')
  expect(await going).toBe('done')
  expect(await line.take(2, () => Promise.resolve('done'))).toBe('done')
})

test('what fails otherwise is the matter of one request', async () => {
  const line = turns({ atOnce: 1, waiting: 10, patience: 60_000 })
  const failing = line.take(1, () => Promise.reject(new Refusal('unavailable', 'busy')))
  const waiting = line.take(1, () => Promise.resolve('done'))
  await expect(failing).rejects.toThrow('busy')
  expect(await waiting).toBe('done')
})
