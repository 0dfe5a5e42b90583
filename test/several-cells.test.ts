import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Scope } from '../gen/lrs/v1/identity_pb.js'
import { expectInOrder, follow, idsOf as ids, missedBy, page, parsed, type Seen } from './support/followed.ts'
import { done, run } from './support/admin.ts'
import { writePatiently } from './support/follower.ts'
import type { Game } from './support/games.ts'
import { player, reference, statement, statements, voiding, type Json } from './support/statements.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { connectionTo } from './support/database.ts'

let system: System
/** Two games in each cell, and a service that reads all games. */
let games: Game[]
let everything: Game

beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 2 })
  await system.admin.cells.addCell({})
  games = []
  for (let n = 0; n < 4; n++) games.push(await system.game())
  everything = await system.game([Scope.ALL_READ])
})
afterAll(() => system.close())

const cellOf = async ({ id }: Game): Promise<number> =>
  (await system.database.sql<{ cell: number }>('select cell from tenant where uuid = $1', [id]))[0]!.cell

const store = async (game: Game, list: Json[], core = 0): Promise<string[]> =>
  (await game.rpc(core).statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })).ids

describe('two cells in one database:', () => {
  test('new games go to the cell with the fewest', async () => {
    expect(await Promise.all(games.map(cellOf))).toEqual([1, 2, 1, 2])
    const { cells } = await system.admin.cells.listCells({})
    expect(cells.map(({ number, games }) => ({ number, games }))).toEqual([
      { number: 1, games: 3 },
      { number: 2, games: 2 },
    ])
  })

  test('a game finds its statements, by id, page and filter, and nothing of another', async () => {
    const [first, second] = games as [Game, Game]
    const list = statements(3)
    const stored = await store(second, list)
    await store(first, statements(2))
    const found = await second.rpc(1).statements.queryStatements({ ascending: true })
    expect(ids(parsed(found.json))).toEqual(stored)
    expect((await second.rpc(0).statements.getStatement({ statementId: stored[0]! })).json.byteLength).toBeGreaterThan(
      0,
    )
    await expect(first.rpc(0).statements.getStatement({ statementId: stored[0]! })).rejects.toThrow(/no statement/)
    const { rows } = await countsByCell(second)
    expect(rows).toEqual({ 1: 0, 2: 3 })
  })

  test('followers of a game and of all games miss nothing while a game moves to and fro', async () => {
    const stop = new AbortController()
    const [moving] = games as [Game]
    const lasts = new Map<string, string>()
    const following = [
      follow(everything, 0, stop.signal, () => lasts.get('all')!),
      follow(moving, 1, stop.signal, () => lasts.get(moving.id)!),
      page(everything, 1, stop.signal),
      page(moving, 0, stop.signal),
      page(games[1]!, 0, stop.signal),
    ]
    const acknowledged = new Map(games.map((game) => [game.id, [] as string[]]))
    const moves: number[] = []
    const written = () => [...acknowledged.values()].flat().length
    const writing = games.flatMap((game, n) =>
      [0, 1].map(async (writer) => {
        // a busy machine may refuse a request
        while (moves.length < 3 || written() < 250)
          acknowledged
            .get(game.id)!
            .push(...(await writePatiently(game.rpc((n + writer) % 2), writer, performance.now() + 200)))
      }),
    )
    while (moves.length < 3) {
      const to = (await cellOf(moving)) === 1 ? 2 : 1
      const { from, waited } = await system.admin.cells.moveGame({ gameId: moving.id, cell: to })
      expect(from).toBe(3 - to)
      moves.push(waited)
    }
    await Promise.all(writing)
    expect(Math.max(...moves)).toBeLessThan(2_000)

    lasts.set(moving.id, (await store(moving, statements(1)))[0]!)
    acknowledged.get(moving.id)!.push(lasts.get(moving.id)!)
    // the last of all is in the other cell than the last of the moved game
    const other = games.find((game) => game !== moving)!
    lasts.set('all', (await store(other, statements(1)))[0]!)
    acknowledged.get(other.id)!.push(lasts.get('all')!)
    stop.abort()
    const [allFollowed, movingFollowed, allPaged, movingPaged, steadyPaged] = (await Promise.all(following)) as [
      Seen[],
      Seen[],
      Seen[],
      Seen[],
      Seen[],
    ]
    for (const seen of [allFollowed, movingFollowed, allPaged, movingPaged, steadyPaged]) expectInOrder(seen)
    const all = [...acknowledged.values()].flat()
    expect(all.length).toBeGreaterThanOrEqual(250)
    expect(missedBy(allFollowed, all)).toBe(0)
    expect(missedBy(allPaged, all)).toBe(0)
    expect(missedBy(movingFollowed, acknowledged.get(moving.id)!)).toBe(0)
    expect(missedBy(movingPaged, acknowledged.get(moving.id)!)).toBe(0)
    expect(missedBy(steadyPaged, acknowledged.get(games[1]!.id)!)).toBe(0)
    await system.database.sql("update left_cell set moved = now() - interval '2 minutes'")
    while ((await system.cores[0]!.store.cells.sweepLeft()) > 0);
    const places = await system.database.sql<{ stored: string }>(
      'select stored from statement union all select stored from cell_2.statement',
    )
    expect(new Set(places.map(({ stored }) => stored)).size).toBe(places.length)
  })

  test('voiding, references and attachments go along with a moved game', async () => {
    const game = await system.game()
    const [target, voided] = statements(2, { actor: player('mover') })
    await store(game, [target, voided])
    const referring = statement({ actor: player('other'), object: reference(target.id) })
    const voids = voiding(voided.id)
    await store(game, [referring, voids])
    const to = (await cellOf(game)) === 1 ? 2 : 1
    expect(await system.admin.cells.moveGame({ gameId: game.id, cell: to })).toMatchObject({ statements: 4n })
    const later = statement({ actor: player('third'), object: reference(referring.id) })
    await store(game, [later], 1)
    const byActor = await game.rpc(0).statements.queryStatements({
      agent: JSON.stringify(player('mover')),
      ascending: true,
    })
    expect(ids(parsed(byActor.json))).toEqual([target.id, referring.id, voids.id, later.id])
    await expect(game.rpc(1).statements.getStatement({ statementId: voided.id })).rejects.toThrow(/no statement/)
    expect(
      (await game.rpc(1).statements.getStatement({ voidedStatementId: voided.id })).json.byteLength,
    ).toBeGreaterThan(0)
    // back at once, and there again: what it had left is replaced
    for (const cell of [3 - to, to])
      expect(await system.admin.cells.moveGame({ gameId: game.id, cell })).toMatchObject({ statements: 5n })
    expect(await system.database.sql('select from left_cell where cell = $1', [to])).toEqual([])
    const again = await game.rpc(0).statements.queryStatements({ agent: JSON.stringify(player('mover')) })
    expect(again.json.length).toBe(4)
    await expect(game.rpc(1).statements.getStatement({ statementId: voided.id })).rejects.toThrow(/no statement/)
    // the same statement again is known in the cell that it was moved to
    expect(await store(game, [target], 0)).toEqual([target.id])
    expect((await countsByCell(game)).rows[to]).toBe(5)
  })

  test('a move that is killed has not happened, and can be made again', async () => {
    const game = await system.game()
    const stored = await store(game, statements(20))
    const from = await cellOf(game)
    const to = 3 - from
    const holding = await connectionTo(system.database.url)
    // the move copies everything and then waits for this lock
    await holding.query('select pg_advisory_lock(2026, order_lock($1))', [to])
    const moving = system.admin.cells.moveGame({ gameId: game.id, cell: to }).catch((error: unknown) => error)
    await expect
      .poll(
        async () =>
          (
            await holding.query(`select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock' and query like '%order_lock(least%'`)
          ).rowCount,
      )
      .toBe(1)
    expect(await moving).toMatchObject({ code: Code.Unavailable })
    await holding.end()
    expect(await cellOf(game)).toBe(from)
    expect((await countsByCell(game)).rows).toEqual({ [from]: 20, [to]: 0 })
    await store(game, statements(1))
    expect(await system.admin.cells.moveGame({ gameId: game.id, cell: to })).toMatchObject({ statements: 21n })
    const found = await game.rpc(1).statements.queryStatements({ ascending: true })
    expect(ids(parsed(found.json)).slice(0, 20)).toEqual(stored)
  })

  test('definitions and names told in one cell are known in all', async () => {
    const [first, second] = games as [Game, Game]
    const object = { id: 'https://games.example.org/activities/told', definition: { name: { en: 'Told' } } }
    await store(second, [statement({ object, actor: { ...player('named'), name: 'Nell' } })])
    const { json } = await first.rpc(1).statements.getActivity({ activityId: object.id })
    expect(JSON.parse(Buffer.from(json).toString())).toMatchObject({ definition: { name: { en: 'Told' } } })
  })

  test('erasing a learner erases in all cells', async () => {
    const ann = player('erased-everywhere')
    const [first, second] = [games[2]!, games[3]!]
    await store(first, statements(2, { actor: ann }))
    await store(second, statements(3, { actor: ann }))
    const { statements: erased } = await system.admin.admin.eraseLearner({ agent: JSON.stringify(ann) })
    expect(Number(erased)).toBe(5)
    for (const game of [first, second]) {
      const found = await game.rpc(0).statements.queryStatements({ agent: JSON.stringify(ann) })
      expect(found.json).toEqual([])
    }
  })

  test('one command moves all games of a cell, which gets no new ones until another command says so', async () => {
    const env = { LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_SERVICE_TOKEN: tokens.admin }
    const cells = (...args: string[]) => run(['cells', ...args], { env })
    const before = await system.database.sql<{ uuid: string }>('select uuid from tenant where cell = 1')
    const moved = await cells('move-all', '1', '2')
    expect(moved.out).toMatch(
      new RegExp(`^Moved ${before.length} games and sandboxes with \\d+ statements from cell 1`),
    )
    expect(moved.error).toMatch(new RegExp(`${before.length} of ${before.length}: moved `))
    // what was interrupted is run again
    expect((await cells('move-all', '1', '2')).out).toMatch(/^Moved 0 games/)
    expect(await cellOf(await system.game())).toBe(2)
    expect((await cells('list')).out).toMatch(/^1 +- +0 .*gets no new games$/m)
    expect(await cells('open', '1')).toEqual(done('Cell 1 gets new games.'))
    expect(await cellOf(await system.game())).toBe(1)
  })

  test('a move to where there is no cell, of no game, or to its own cell is refused in words', async () => {
    const [game] = games as [Game]
    const here = await cellOf(game)
    const refused = async (gameId: string, cell: number) => {
      const error = await system.admin.cells.moveGame({ gameId, cell }).then(
        () => undefined,
        (error: unknown) => ConnectError.from(error),
      )
      return [error?.code, error?.rawMessage]
    }
    expect(await refused(game.id, 9)).toEqual([Code.NotFound, 'There is no cell 9; see cells list.'])
    expect((await refused('11111111-1111-4111-8111-111111111111', 2))[0]).toBe(Code.NotFound)
    expect((await refused(game.id, here))[1]).toBe(`The game is in cell ${here} already.`)
  })
})

async function countsByCell({ id }: Game) {
  const rows = await system.database.sql<{ cell: number; count: number }>(
    `select 1 as cell, count(*)::int from statement s join tenant t on t.game = s.game where t.uuid = $1
    union all select 2, count(*)::int from cell_2.statement s join tenant t on t.game = s.game where t.uuid = $1`,
    [id],
  )
  return { rows: Object.fromEntries(rows.map(({ cell, count }) => [cell, count])) as Record<number, number> }
}
