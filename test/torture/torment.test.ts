import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { torment } from './torment.ts'

test('the short form of npm run torture: a kill of each kind, nothing acknowledged lost, doubled, changed or missed', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-torture-')))
  try {
    const { failures, kills, acknowledged } = await torment({
      folder,
      seed: 637,
      kills: 3,
      statements: 1_000,
      // 5 s in the long form, on a machine that does nothing else
      readyWithin: 25_000,
      say: () => {},
    })
    expect(failures).toEqual([])
    // what this seed draws
    expect(kills).toEqual({ core: 1, gateway: 1, postgres: 1 })
    expect(acknowledged).toBeGreaterThanOrEqual(1_000)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
})
