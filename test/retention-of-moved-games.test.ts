import { afterAll, beforeAll, expect, test } from 'vitest'
import { expireNext } from './support/expire-next.ts'
import type { Game } from './support/games.ts'
import { statements, type Json } from './support/statements.ts'
import { startSystem, type System } from './support/system.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2 })
  await system.admin.cells.addCell({})
})
afterAll(() => system.close())

const cellOf = async ({ id }: Game): Promise<number> =>
  (await system.database.sql<{ cell: number }>('select cell from tenant where uuid = $1', [id]))[0]!.cell
const send = async (game: Game, list: Json[]): Promise<string[]> =>
  (await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })).ids

async function kept(game: Game): Promise<string[]> {
  const ids: string[] = []
  for (let offset = ''; ;) {
    const page = await game.rpc().statements.queryStatements({ limit: 500, ascending: true, offset })
    ids.push(...page.json.map((one) => JSON.parse(Buffer.from(one).toString()).id))
    if ((offset = page.next) === '') return ids
  }
}

test('while a game moves between cells, exactly its expired statements go, and the receipt has each once', async () => {
  const games = [await system.game(), await system.game()]
  const cells = await Promise.all(games.map(cellOf))
  const game = games[cells.indexOf(1)]!
  const count = 8_000
  for (let sent = 0; sent < count; sent += 250) await send(game, statements(250))
  const { sql } = system.database
  const by = 400 * 86_400 * 1e6
  await sql(
    `update posting p set stored = p.stored - $2::bigint, target = p.target - $2 from game g
      where g.uuid = $1 and p.game = g.id`,
    [game.id, by],
  )
  await sql('update statement s set stored = s.stored - $2::bigint from game g where g.uuid = $1 and s.game = g.id', [
    game.id,
    by,
  ])
  const recent = await send(game, statements(40))

  await system.admin.retention.setRetention({ gameId: game.id, retention: { statementMonths: 12 } })
  let isDone = false
  const runs = system.cores.map(async ({ store, config }) => {
    while (!isDone) await expireNext({ store, config, leaseSeconds: 5 })
  })
  const receipts = async () => (await system.admin.retention.getRetention({ gameId: game.id })).receipts
  const seen: number[] = []
  try {
    for (let moves = 0; moves < 3 || (await receipts()).length === 0; moves++) {
      seen.push((await kept(game)).length)
      await system.admin.cells.moveGame({ gameId: game.id, cell: (await cellOf(game)) === 1 ? 2 : 1 })
      seen.push((await kept(game)).length)
      // the rows that it left have to go before it can come back
      await sql("update left_cell set moved = now() - interval '2 minutes'")
      while ((await system.cores[0]!.store.cells.sweepLeft()) > 0);
    }
  } finally {
    isDone = true
    await Promise.all(runs)
  }
  expect((await kept(game)).toSorted()).toEqual(recent.toSorted())
  const all = await receipts()
  expect(all.map(({ expired }) => expired!.statements)).toEqual([BigInt(count)])
  // it did move while some were gone and some were not
  expect(seen.some((left) => left > recent.length && left < count + recent.length)).toBe(true)
})
