import { expect, onTestFinished, test } from 'vitest'
import { connectionTo, freshDatabase } from '../../../../test/support/database.ts'
import { openDatabase } from '../../../process/database/database.ts'
import { watermark } from './watermark.ts'

test('while a write is in the order, looking how far it is complete moves nothing', async () => {
  const fresh = await freshDatabase()
  const database = openDatabase({ url: fresh.url, connections: 2, wait: 2_000, statementTimeout: 5_000 })
  const writer = await connectionTo(fresh.url)
  onTestFinished(async () => {
    await writer.end()
    await database.close()
    await fresh.close()
  })
  let now = 0
  const { read } = watermark(database, () => (now += 1_000))
  const before = await read()
  await writer.query(
    `begin; select pg_advisory_xact_lock(2026, 1),
      setval('statement_order', (extract(epoch from clock_timestamp()) * 1000000)::bigint + 1000)`,
  )
  expect(await read()).toBe(before)
  await writer.query('commit')
  expect(await read()).toBeGreaterThan(before)
})
