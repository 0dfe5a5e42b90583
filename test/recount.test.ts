import { afterAll, beforeAll, expect, test } from 'vitest'
import { recount } from './recount/recount.ts'
import { startSystem, type System } from './support/system.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
})
afterAll(() => system.close())

test('1,000 statements of a serious game: the charts say what DuckDB counts in their Parquet files', async () => {
  const { sent, charts, recount: counted } = await recount(system, { statements: 1_000, days: 4 })
  expect(sent).toBeGreaterThanOrEqual(1_000)
  expect(charts.days.reduce((sum, [, statements]) => sum + Number(statements), 0)).toBe(sent)
  expect(charts.days).toHaveLength(4)
  expect(charts).toEqual(counted)
})
