import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Game } from '../support/games.ts'
import { player, statements } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { begin, kept, receipt, store } from './deletions.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2 })
  await system.admin.cells.addCell({})
})
afterAll(() => system.close())

const cellOf = async ({ id }: Game): Promise<number> =>
  (await system.database.sql<{ cell: number }>('select cell from tenant where uuid = $1', [id]))[0]!.cell

test('while a game moves between cells, its deletion takes exactly what it named, each once', async () => {
  const games = [await system.game(), await system.game()]
  const cells = await Promise.all(games.map(cellOf))
  const game = games[cells.indexOf(1)]!
  const count = 4_000
  const rest: string[] = []
  for (let sent = 0; sent < count; sent += 250) {
    await store(game, statements(250, { actor: player('loop') }))
    rest.push(...(await store(game, statements(2))))
  }
  const { deletion } = await begin(system, game, { filters: { agent: JSON.stringify(player('loop')) } })
  const seen: number[] = []
  const { admin, cores } = system
  const ended = async () => (await admin.deletions.listDeletions({ gameId: game.id })).deletions[0]!.ended > 0n
  for (let moves = 0; moves < 3 || !(await ended()); moves++) {
    seen.push((await kept(game)).length)
    await admin.cells.moveGame({ gameId: game.id, cell: (await cellOf(game)) === 1 ? 2 : 1 })
    seen.push((await kept(game)).length)
    rest.push(...(await store(game, statements(2))))
    // the rows that it left have to go before it can come back
    await system.database.sql("update left_cell set moved = now() - interval '2 minutes'")
    while ((await cores[0]!.store.cells.sweepLeft()) > 0);
  }
  expect((await receipt(system, deletion)).statements).toBe(count)
  expect(await kept(game)).toEqual(rest)
  // it did move while some were gone and some were not
  expect(seen.some((left) => left > rest.length && left < count + rest.length)).toBe(true)
}, 180_000)
