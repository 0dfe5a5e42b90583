import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { follow, write, type Order } from './support/follower.ts'
import type { Game } from './support/games.ts'
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

/** What is wrong with what a follower has seen; nothing when it has all that was acknowledged, in order. */
function complaints(
  { seen, watermarks, ends }: Order,
  acknowledged: string[],
  table: { id: string; stored: string }[],
): string[] {
  const ids = new Set(seen.map(({ id }) => id))
  const lost = acknowledged.filter((id) => !ids.has(id)).length
  const rows = table.map(({ stored }) => Number(stored))
  const missingRows = acknowledged.length - new Set(table.map(({ id }) => id)).size
  const unordered = seen.filter(({ stored }, n) => n > 0 && stored <= seen[n - 1]!.stored).length
  const ahead = watermarks.filter(
    ({ through, visible }) => rows[visible - 1]! > through || rows[visible]! <= through,
  ).length
  const short = ends.filter(({ after, through, count }) => upTo(rows, through) - upTo(rows, after) > count).length
  return [
    ...(missingRows > 0 ? [`${missingRows} acknowledged statements are not in the table`] : []),
    ...(lost > 0 ? [`${lost} of ${acknowledged.length} were never seen`] : []),
    ...(ids.size < seen.length ? [`${seen.length - ids.size} were seen twice`] : []),
    ...(unordered > 0 ? [`${unordered} came out of order`] : []),
    ...(short > 0 ? [`${short} of ${ends.length} pages lacked statements up to their Consistent-Through`] : []),
    ...(ahead > 0 ? [`Consistent-Through was ahead ${ahead} of ${watermarks.length} times`] : []),
  ]
}

/** How many of the places, in order, are not beyond this one. */
function upTo(places: number[], last: number): number {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (places[middle]! <= last) low = middle + 1
    else high = middle
  }
  return low
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
