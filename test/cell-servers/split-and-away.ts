import { randomUUID } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Code, ConnectError } from '@connectrpc/connect'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { CellPlaces, CellReadingSchema, FollowRequestSchema } from '../../gen/lrs/v1/statements_pb.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { microsOf } from '../../admin/stored.ts'
import { SplitState } from '../../gen/lrs/v1/cells_pb.js'
import { expectInOrder, follow, idsOf, missedBy, page, parsed, type Seen } from '../support/followed.ts'
import { writePatiently } from '../support/follower.ts'
import { startPostgres, type Postgres } from '../../start/postgres.ts'
import { connectionTo, databaseAt, type TestDatabase } from '../support/database.ts'
import type { Game } from '../support/games.ts'
import { player, statements } from '../support/statements.ts'
import { done, run } from '../support/admin.ts'
import { startSystem, tokens } from '../support/system.ts'
import { databaseUrl } from '../support/template.ts'
import {
  codeOf,
  east,
  everything,
  folder,
  gameIn,
  here,
  move,
  renewEast,
  second,
  servers,
  store,
  stored,
  sweepLeft,
  system,
  there,
} from './servers.ts'

/** The last tests of the file: they stop servers. */
export function splitAndAway(): void {
  /** A standby of the second server. */
  let third: Postgres | undefined
  afterAll(() => third?.stop())

  describe('a server that is split:', () => {
    let split: Game
    let stays: Game
    const request = { from: 'east', to: 'west', cells: [3] }
    const splitState = async () => (await system.admin.cells.splitServer(request)).state

    beforeAll(async () => {
      stays = await gameIn(2)
      split = await gameIn(2)
      await system.admin.cells.addCell({ server: 'east' })
      await system.admin.cells.openCell({ cell: 3, open: false })
      await move(split, 3)
      await store(split, statements(5))
      await store(stays, statements(2))
      await second.stop()
      execFileSync('cp', ['-a', join(folder, 'east'), join(folder, 'west')])
      writeFileSync(join(folder, 'west', 'standby.signal'), '')
      await renewEast()
      // the standby gets through to the socket of its primary
      chmodSync(folder, 0o711)
      const socket = new URL(second.adminUrl).searchParams.get('host')!
      const settings = { max_connections: 100, primary_conninfo: `host=${socket} user=postgres` }
      third = await startPostgres({ dataDir: join(folder, 'west'), durable: false, settings })
      servers.set('west', databaseUrl(third.url, 'lrs'))
    })
    test('its promoted standby takes over a cell; nothing is lost, doubled or missed, and the other cell goes on', async () => {
      for (const core of [0, 1])
        for (const game of [split, stays, everything])
          await expect.poll(() => codeOf(game.rpc(core).statements.queryStatements({}))).toBe(undefined)
      const stop = new AbortController()
      let last = ''
      const following = [
        follow(everything, 0, stop.signal, () => last),
        follow(split, 1, stop.signal, () => last),
        page(everything, 1, stop.signal),
        page(split, 0, stop.signal),
      ]
      const acknowledged: string[] = await stored(split)
      let writing = true
      const writers = [0, 1].map(async (core) => {
        while (writing) acknowledged.push(...(await writePatiently(split.rpc(core), core, performance.now() + 100)))
      })
      await expect.poll(splitState).toBe(SplitState.WAITING)
      // its writers wait; those of the other cell do not
      expect(await codeOf(store(split, statements(1)))).toBe(Code.Unavailable)
      await store(stays, statements(1))
      await connectionTo(third!.adminUrl).then(async (client) => {
        await client.query('select pg_promote()')
        await client.end()
      })
      await expect.poll(splitState).toBe(SplitState.THERE)
      await expect.poll(() => codeOf(store(split, statements(1)))).toBe(undefined)
      writing = false
      await Promise.all(writers)
      last = (await store(split, statements(1)))[0]!
      acknowledged.push(last)
      // readers of all games come as late as the order of the cell is ahead
      const newest = async () => idsOf(parsed((await everything.rpc(1).statements.queryStatements({ limit: 1 })).json))
      await expect.poll(newest).toEqual([last])
      stop.abort()
      for (const seen of await Promise.all(following)) {
        expectInOrder(seen)
        expect(missedBy(seen, acknowledged)).toBe(0)
      }
      const west = databaseAt(servers.get('west')!)
      const count = async (on: TestDatabase) =>
        (await on.sql<{ count: number }>('select count(*)::int as count from cell_3.statement'))[0]!.count
      expect(await count(west)).toBeGreaterThanOrEqual(acknowledged.length)
      expect(await count(east)).toBeLessThan(acknowledged.length)
      expect(await splitState()).toBe(SplitState.CLEANED)
      expect(await count(east)).toBe(0)
      expect(await west.sql("select to_regclass('cell_2.statement') as cell")).toEqual([{ cell: null }])
      await expect(east.sql("update cell_3.statement set body = ''")).rejects.toThrow('cell 3 goes to another server')
      for (const game of [stays, split]) await store(game, statements(1), 1)
      const { cells } = await system.admin.cells.listCells({})
      expect(cells.map(({ server }) => server)).toEqual(['', 'east', 'west'])
      expect((await system.admin.cells.listMisplaced({})).misplaced).toEqual([])
      await sweepLeft()
      expect(await move(split, 2)).toMatchObject({ from: 3 })
    })

    test('a server that is no standby of it is refused, and a cancelled split changes nothing', async () => {
      const asked = { from: 'east', to: 'other', cells: [2] }
      servers.set('other', system.database.url)
      const error = await system.admin.cells.splitServer(asked).catch((error: unknown) => ConnectError.from(error))
      expect(error).toMatchObject({ code: Code.Aborted, rawMessage: expect.stringContaining('is no standby of it') })
      expect(await codeOf(store(stays, statements(1)))).toBe(Code.Unavailable)
      const env = { LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_SERVICE_TOKEN: tokens.admin }
      expect(await run(['cells', 'split', 'east', 'other', '2', '--cancel'], { env })).toEqual(
        done('The cells take writes on east.'),
      )
      expect(await run(['cells', 'mend'], { env })).toEqual(done('Nothing is to be mended.'))
      await expect.poll(() => codeOf(store(stays, statements(1)))).toBe(undefined)
    })
  })

  describe('a server that is away:', () => {
    let old: Game
    /** Who reads all games and goes on without it: from before it was away until it is back. */
    let reader: ReturnType<typeof goOn>
    /** In each cell, in the order in which they were stored. */
    const sent: Record<'here' | 'there', string[]> = { here: [], there: [] }
    beforeAll(async () => {
      old = await gameIn(2)
      await store(old, statements(1))
      const { consistentThrough } = await everything.rpc(0).statements.queryStatements({ onlyConsistentThrough: true })
      sent.there.push(...(await store(there, statements(2))))
      await second.stop()
      reader = goOn(0, { start: { case: 'after', value: consistentThrough } })
    })
    afterAll(() => reader.stop())

    test('games of other cells go on, its own and all games are refused', async () => {
      await store(here, statements(1), 0)
      expect((await stored(here, 1)).length).toBeGreaterThan(0)
      for (const game of [there, everything])
        expect(await codeOf(game.rpc(0).statements.queryStatements({}))).toBe(Code.Unavailable)
      expect(await codeOf(store(there, statements(1), 1))).toBe(Code.Unavailable)
      const { cells } = await system.admin.cells.listCells({})
      expect(cells.map(({ away }) => away)).toEqual([false, true, false])
      await system.admin.admin.getStatus({})
      const { findings } = await system.admin.admin.check({})
      expect(findings.find(({ name }) => name === 'server-east')?.message).toMatch(/cannot be reached/)
    })

    test('readers of all games may go on without it, by cell or by game, and are told', async () => {
      const agent = JSON.stringify(player('goes-on'))
      const ask = (byCell: MessageInitShape<typeof CellReadingSchema>, game = everything) =>
        game.rpc(1).statements.queryStatements({ byCell, agent, limit: 1 })
      sent.here.push(...(await store(here, statements(2, { actor: player('goes-on') }))))
      const found = await ask({ withoutAway: true })
      expect(idsOf(parsed(found.json))).toEqual(sent.here.slice(-1))
      expect(found.consistentThrough).toBe(0n)
      expect(found.cells!.cells).toMatchObject([
        { cell: 1, away: false },
        { cell: 2, through: 0n, away: true },
        { cell: 3, away: false },
      ])
      const [through] = found.cells!.cells.map((cell) => cell.through)
      expect(through).toBeGreaterThanOrEqual(microsOf(parsed(found.json)[0]!.stored))
      for (const one of [{ only: [1] }, { gameId: here.id }]) {
        const { json, cells } = await ask(one)
        expect(idsOf(parsed(json))).toEqual(sent.here.slice(-1))
        expect(cells!.cells).toMatchObject([{ cell: 1, away: false }])
      }
      for (const [code, asked, game] of [
        [Code.Unavailable, {}, everything],
        [Code.Unavailable, { only: [2] }, everything],
        [Code.Unavailable, { gameId: there.id }, everything],
        [Code.NotFound, { only: [9] }, everything],
        [Code.NotFound, { gameId: randomUUID() }, everything],
        [Code.PermissionDenied, { withoutAway: true }, here],
      ] satisfies [Code, MessageInitShape<typeof CellReadingSchema>, Game][])
        expect(await codeOf(ask(asked, game))).toBe(code)
      const env = { LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_SERVICE_TOKEN: tokens.admin }
      const args = [
        'statements',
        'query',
        '--key',
        everything.key,
        '--agent',
        agent,
        '--without-away',
        '--limit',
        '1',
        '--json',
      ]
      const { out, error } = await run(args, { env })
      expect(JSON.parse(out).id).toBe(sent.here.at(-1))
      expect(error).toContain('Cell 2 cannot be read')
      await expect.poll(() => missedBy(reader.seen, sent.here)).toBe(0)
      expect(missedBy(reader.seen, sent.there)).toBe(sent.there.length)
      expect(reader.last()!.cells.map(({ away }) => away)).toEqual([false, true, false])
    })

    test('a core starts without it', async () => {
      const database = { ...system.database, close: async () => {} }
      const another = await startSystem({ database, gateways: 0, cellServers: new Map([['east', east.url]]) })
      const game = {
        ...here,
        rpc: () => another.connections[0]!.as(here.authorization, { 'x-experience-api-version': '1.0.3' }),
      }
      await store(game, statements(1))
      await another.close()
    })

    test('when it is back, who went on without it misses nothing, there and from saved places', async () => {
      await system.admin.identity.revokeCredential({ key: old.key })
      const places = reader.last()!
      await renewEast()
      await expect.poll(() => codeOf(store(there, statements(1)))).toBe(undefined)
      // core 1 may find out later than core 0
      await expect.poll(() => codeOf(store(there, statements(1), 1))).toBe(undefined)
      const [last] = await store(there, statements(1), 1)
      await expect.poll(() => idsOf(reader.seen)).toContain(last)
      expect(new Set(idsOf(reader.seen)).size).toBe(reader.seen.length)
      expect(missedBy(reader.seen, [...sent.here, ...sent.there])).toBe(0)
      const later = goOn(1, { byCell: { withoutAway: true, places } })
      await expect.poll(() => idsOf(later.seen)).toContain(last)
      // nothing twice of the cell that was there, everything of the other one
      expect(missedBy(later.seen, sent.here)).toBe(sent.here.length)
      expect(missedBy(later.seen, sent.there)).toBe(0)
      // the game goes to the cell that was read further
      await move(there, 1)
      const moved = goOn(1, { byCell: { withoutAway: true, places } })
      await expect.poll(() => idsOf(moved.seen)).toContain(last)
      expect(missedBy(moved.seen, [...sent.here, ...sent.there])).toBe(0)
      const one = goOn(1, { byCell: { only: [1], places } })
      expect(await codeOf(one.done)).toBe(Code.Aborted)
      await Promise.all([later, moved].map(({ stop }) => stop()))
    })

    test('what ends access meanwhile holds when it is back', async () => {
      await expect.poll(() => codeOf(there.rpc(0).statements.queryStatements({}))).toBe(undefined)
      await expect.poll(() => codeOf(store(there, statements(1), 1))).toBe(undefined)
      for (const core of [0, 1]) expect(await codeOf(store(old, statements(1), core))).toBe(Code.Unauthenticated)
      await expect.poll(() => codeOf(everything.rpc(0).statements.queryStatements({}))).toBe(undefined)
    })
  })
}

type FollowInit = Exclude<MessageInitShape<typeof FollowRequestSchema>, { $typeName: string }>

/** Follows all games, without cells that are away unless the request says something else. */
function goOn(core: number, request: FollowInit) {
  const cut = new AbortController()
  const seen: Seen[] = []
  let places: CellPlaces | undefined
  const done = (async () => {
    const call = { signal: cut.signal }
    const asked = { byCell: { withoutAway: true }, ...request }
    for await (const { json, cells } of everything.rpc(core).statements.follow(asked, call)) {
      seen.push(...parsed(json))
      places = cells
    }
  })()
  const stop = (): Promise<void> => {
    cut.abort()
    return done.catch(() => {})
  }
  done.catch(() => {})
  return { seen, last: () => places, done, stop }
}
