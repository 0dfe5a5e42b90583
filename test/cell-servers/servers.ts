import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Code, ConnectError } from '@connectrpc/connect'
import { expect } from 'vitest'
import { Scope } from '../../gen/lrs/v1/identity_pb.js'
import { idsOf, parsed } from '../support/followed.ts'
import { startPostgres, type Postgres } from '../../start/postgres.ts'
import { addSecondCell } from '../support/cells.ts'
import { databaseAt, type TestDatabase } from '../support/database.ts'
import type { Game } from '../support/games.ts'
import type { Json } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { databaseUrl } from '../support/template.ts'

export const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-servers-')))
export let second: Postgres
/** As the file of LRS_CELL_SERVERS_FILE has them. */
export const servers = new Map<string, string>()
export let east: TestDatabase
/** Starts it, also again; its address is another one then. */
export async function renewEast(): Promise<void> {
  second = await startPostgres({ dataDir: join(folder, 'east'), durable: false, settings: { max_connections: 100 } })
  east = databaseAt(databaseUrl(second.url, 'lrs'))
  servers.set('east', east.url)
}
export let system: System
/** One here, one on the other server, and a service that reads all games. */
export let here: Game
export let there: Game
export let everything: Game

/** Starts both servers and the system, for the tests of one file. */
export async function startServers(): Promise<void> {
  await renewEast()
  system = await startSystem({ cores: 2, gateways: 0, cellServers: servers })
  await addSecondCell(system.admin.cells, 'east')
  here = await system.game()
  there = await system.game()
  everything = await system.game([Scope.ALL_READ])
}

export async function stopServers(): Promise<void> {
  await system.close()
  await second.stop()
  rmSync(folder, { recursive: true, force: true })
}

export const cellOf = async ({ id }: Game): Promise<number> =>
  (await system.database.sql<{ cell: number }>('select cell from tenant where uuid = $1', [id]))[0]!.cell

export const store = async (game: Game, list: Json[], core = 0): Promise<string[]> =>
  (await game.rpc(core).statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })).ids

/** Deletes what games have left behind, without the minute that it stays. */
export async function sweepLeft(): Promise<void> {
  await system.database.sql("update left_cell set moved = now() - interval '2 minutes'")
  while ((await system.cores[0]!.store.cells.sweepLeft()) > 0);
}

/** A new game in this cell. */
export async function gameIn(cell: number, scopes: Scope[] = []): Promise<Game> {
  await system.admin.cells.openCell({ cell: 3 - cell, open: false })
  const game = await system.game(scopes)
  await system.admin.cells.openCell({ cell: 3 - cell, open: true })
  expect(await cellOf(game)).toBe(cell)
  return game
}

export const move = ({ id }: Game, cell: number) => system.admin.cells.moveGame({ gameId: id, cell })

export const stored = async (game: Game, core = 0): Promise<string[]> =>
  idsOf(parsed((await game.rpc(core).statements.queryStatements({ ascending: true })).json))

export const codeOf = (call: Promise<unknown>): Promise<Code | undefined> =>
  call.then(
    () => undefined,
    (error: unknown) => ConnectError.from(error).code,
  )

/** Sets the clock of the orders in a database; returns how to set it back. */
export async function skewed({ sql }: TestDatabase, seconds: number): Promise<() => Promise<void>> {
  const functions = await sql<{ text: string }>(
    "select pg_get_functiondef(oid) as text from pg_proc where proname in ('advance_order', 'write_statements')",
  )
  for (const { text } of functions)
    await sql(text.replaceAll('clock_timestamp()', `(clock_timestamp() + interval '${seconds} s')`))
  return async () => {
    for (const { text } of functions) await sql(text)
  }
}
