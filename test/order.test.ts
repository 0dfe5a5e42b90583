import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { follow, write } from './support/follower.ts'
import type { Game } from './support/games.ts'
import { complaints } from './support/order.ts'
import { startProcesses, type Processes } from './support/processes.ts'

let processes: Processes
beforeAll(async () => {
  processes = await startProcesses({ cores: 3, gateways: 0 })
})
afterAll(() => processes.close())

const writers = 8

/**
 * 8 writers on two core processes write for a while, and until they have written so much; followers read along on each,
 * and on a third core that only reads.
 */
async function race(milliseconds: number, least = 0) {
  const game = await processes.game()
  const stop = new AbortController()
  const followers = [
    follow(game.rpc(0), 'since', processes.database, game.id, stop.signal),
    follow(game.rpc(1), 'more', processes.database, game.id, stop.signal),
    follow(game.rpc(2), 'since', processes.database, game.id, stop.signal),
  ]
  const acknowledged: string[] = []
  do {
    const until = performance.now() + milliseconds
    acknowledged.push(
      ...(await Promise.all(Array.from({ length: writers }, (_, n) => write(game.rpc(n % 2), n, until)))).flat(),
    )
  } while (acknowledged.length < least)
  stop.abort()
  return { acknowledged, orders: await Promise.all(followers), game }
}

const rowsOf = ({ id }: Game) =>
  processes.database.sql<{ id: string; stored: string }>(
    'select s.id, stored from statement s join game g on g.id = s.game where g.uuid = $1 order by stored',
    [id],
  )

describe('a follower of the store', () => {
  test('has every statement, in order and without a gap, while 8 writers on two cores write', async () => {
    const { acknowledged, orders, game } = await race(3_000, 500)
    const table = await rowsOf(game)
    for (const order of orders) expect(complaints(order, acknowledged, table)).toEqual([])
    for (const { seen } of orders)
      expect(seen.map(({ stored }) => stored)).toEqual(table.map(({ stored }) => Number(stored)))
  })

  // comes last: it breaks the database
  test('would notice if `stored` were the clock without the lock', async () => {
    await processes.database.sql(await withoutOrder(processes.database.sql))
    const noticed = async () => {
      const { acknowledged, orders, game } = await race(1_000)
      const table = await rowsOf(game)
      return orders.flatMap((order) => complaints(order, acknowledged, table))
    }
    // a race that nobody loses tells nothing
    await expect.poll(noticed, { timeout: 120_000 }).not.toEqual([])
  })
})

/** write_statements as one would write it without thinking of the order of commits. */
async function withoutOrder(sql: (text: string) => Promise<Record<string, unknown>[]>): Promise<string> {
  const [row] = await sql(`select pg_get_functiondef('write_statements'::regproc) as text`)
  const text = String(row!['text'])
  const planted = text
    .replace('perform pg_advisory_xact_lock(2026, order_lock(this_cell()));', '')
    .replace(/case p_step when 1[^;]*? end,/, 'clock,')
    .replace('from statement_order o, ', 'from ')
    .replace(/perform setval[^;]*;/, '')
    .replace('if p_erasures', 'perform pg_sleep(random() * 0.1);\n  if p_erasures')
  expect(planted.match(/advisory|statement_order/)).toBeNull()
  expect(planted).toContain('pg_sleep')
  return planted
}
