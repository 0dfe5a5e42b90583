import { expect, test } from 'vitest'
import { startPortalSystem } from '../support/portal.ts'
import { fuzz } from './fuzz.ts'

test('the short form of npm run fuzz: 500 requests to every route and method of all processes, no 5xx, no hang, what was accepted can be read', async () => {
  const system = await startPortalSystem()
  try {
    const { failures, statuses, readAgain } = await fuzz(system, { seed: 7, requests: 500, hang: 10_000 })
    expect(failures).toEqual([])
    expect(readAgain).toBeGreaterThan(10)
    expect(Object.keys(statuses)).toEqual(
      expect.arrayContaining([
        '200',
        '204',
        '400',
        '404',
        '405',
        'rpc 200',
        'rpc 400',
        'rpc 401',
        'rpc 403',
        'page 200',
        'page 303',
        'page 400',
        'page 404',
        'wire 200',
        'wire 400',
        'wire 404',
        'stream',
      ]),
    )
  } finally {
    await system.close()
  }
})
