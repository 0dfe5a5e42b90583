import { afterAll, beforeAll, expect, test } from 'vitest'
import { recount } from './recount/recount.ts'
import { startSystem, type System } from './support/system.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
})
afterAll(() => system.close())

test('1,000 statements of a serious game: the charts always say what DuckDB counts in its Parquet files', async () => {
  const { sent, compared } = await recount(system, { statements: 1_000, days: 12 })
  expect(sent).toBeGreaterThanOrEqual(1_000)
  expect(compared.map(({ when }) => when)).toHaveLength(6)
  for (const { when, charts, recount } of compared) expect([when, charts]).toEqual([when, recount])
  // each of them counts something else than the one before
  for (const [n, { charts }] of compared.entries()) if (n > 0) expect(charts).not.toEqual(compared[n - 1]!.charts)
}, 180_000)
