import { expect, test } from 'vitest'
import { startSystem } from '../support/system.ts'
import { fuzz } from './fuzz.ts'

test('the short form of npm run fuzz: 2,000 requests to every route and method, no 5xx, no hang, what was accepted can be read', async () => {
  const system = await startSystem()
  try {
    const { failures, statuses, readAgain } = await fuzz(system, { seed: 7, requests: 2_000, hang: 10_000 })
    expect(failures).toEqual([])
    expect(readAgain).toBeGreaterThan(15)
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '204', '400', '404', '405', 'rpc 200', 'rpc 400', 'rpc 401']))
  } finally {
    await system.close()
  }
}, 60_000)
