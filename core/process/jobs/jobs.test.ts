import { expect, test } from 'vitest'
import { jobs } from './jobs.ts'
import { Refusal } from '../refusal.ts'

test('tells of each job when it ran last and how it ended, but not what an error says', async () => {
  let time = 1_000
  const { run, list } = jobs(() => (time += 500))
  expect(await run('sweep', 30_000, async () => 'swept')).toBe('swept')
  const secret = new Error('password=x')
  await expect(run('count', 0, () => Promise.reject(secret))).rejects.toBe(secret)
  const away = new Refusal('unavailable', 'away', { away: true })
  await expect(run('sweep', 30_000, () => Promise.reject(away))).rejects.toBe(away)
  let during
  await run('import', 0, async () => void (during = { ...list().at(-1) }))
  expect(during).toMatchObject({ name: 'import', running: 1, runs: 0, ended: 0 })
  expect(list()).toMatchObject([
    {
      name: 'sweep',
      running: 0,
      runs: 2,
      failures: 1,
      started: 3_500,
      ended: 4_000,
      problem: 'the database did not answer',
    },
    { name: 'count', every: 0, runs: 1, failures: 1, problem: 'the log of core says why' },
    { name: 'import', runs: 1, failures: 0, problem: '' },
  ])
})
