import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SplitState } from '../../gen/lrs/v1/cells_pb.js'
import { expectInOrder, follow, idsOf, missedBy, page, parsed } from '../support/followed.ts'
import { writePatiently } from '../support/follower.ts'
import { startPostgres, type Postgres } from '../../start/postgres.ts'
import { connectionTo, databaseAt, type TestDatabase } from '../support/database.ts'
import type { Game } from '../support/games.ts'
import { statements } from '../support/statements.ts'
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
    beforeAll(async () => {
      old = await gameIn(2)
      await store(old, statements(1))
      await second.stop()
    })

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

    test('what ends access meanwhile holds when it is back', async () => {
      await system.admin.identity.revokeCredential({ key: old.key })
      await renewEast()
      await expect.poll(() => codeOf(there.rpc(0).statements.queryStatements({}))).toBe(undefined)
      await expect.poll(() => codeOf(store(there, statements(1), 1))).toBe(undefined)
      for (const core of [0, 1]) expect(await codeOf(store(old, statements(1), core))).toBe(Code.Unauthenticated)
      await expect.poll(() => codeOf(everything.rpc(0).statements.queryStatements({}))).toBe(undefined)
    })
  })
}
