import type { Counting } from '../store/cell/counting.ts'
import type { HeldOfGame } from '../store/cell/credential-views.ts'
import { cellStatus, settingsOf, type CellStatus } from '../store/cell/status.ts'
import type { Key } from '../xapi/identify.ts'
import type { Credentialed } from '../store/cell/write-statements.ts'
import { sql, type Database } from '../../process/database/database.ts'
import type { OpenServers } from './servers.ts'
import { inReach, unlessAway } from './all-games.ts'
import { bringBack, type Asked } from './bring-back.ts'
import { eachCellOf } from './each-cell.ts'
import { attachmentsOfCells } from './attachments.ts'
import { learnerDataOfCells } from './learner-data.ts'
import { sweepLeftRows } from './left-rows.ts'
import { findMisplaced } from './misplaced.ts'
import { findAhead, mend } from './mend.ts'
import { moveGame } from './move-game.ts'
import { undoMoves, type Moved } from './move-between.ts'
import type { Part } from './part.ts'
import { partsOf } from './parts.ts'
import { places as placesOf } from './places.ts'
import { cellAdmin } from './admin.ts'
import type { StandbyServer } from './standby.ts'
import { standbyReads } from './standby-reads.ts'
import { splitServer, type Split } from './split.ts'

/**
 * The cells of a store as one (docs/adr/0019). Requests of a game go to its cell; those of all games ask every cell.
 * Tables without an order (credentials, documents) are in the first schema of the directory's server, for all cells.
 * Other wings have stores of their own on each cell (`eachCell`).
 * @param open connections that work for a cell on the directory's server
 */
export function cellsOver(
  first: Database,
  open: (cell: number) => Database,
  servers: OpenServers,
  counting: Counting,
  standbyServers: readonly StandbyServer[] = [],
) {
  const places = placesOf(first)
  const { shared, part, partOf, all, opened, statements } = partsOf(first, counting, places, (cell, server) =>
    server === undefined ? open(cell) : servers.open(cell, server),
  )
  const { close, ...reading } = standbyReads(standbyServers, counting, statements, part, places)

  return {
    ...reading,
    places,
    eachCell: eachCellOf(shared, partOf, all),
    credentials: {
      ...shared.credentials,
      /** The game's credential and the key of its sandbox, null: there is none; and whether it has sent statements. */
      async view(gameId: string): Promise<HeldOfGame> {
        const { tenants, ...held } = await shared.credentials.view(gameId)
        const sent = async (tenant: number | null) => {
          if (tenant === null) return false
          const one = await partOf(tenant)
          // its page is there while its server is away
          const latest = one.statements.latest([tenant], false).then(({ size }) => size > 0)
          return unlessAway(one, latest, true)
        }
        const [played, tried] = await Promise.all([sent(tenants.game), sent(tenants.sandbox)])
        return { ...held, played, reported: played || tried }
      },
    },
    documents: shared.documents,
    endedSessions: shared.endedSessions,
    suspendedStudios: shared.suspendedStudios,
    /** Microseconds up to which the orders of all cells are known to be complete. */
    through: async (): Promise<number> =>
      Math.min(...(await Promise.all((await all()).map(({ order }) => order.read())))),
    /** The same of cells whose server can be reached. */
    throughInReach: async (): Promise<number> => Math.min(...(await inReach(all, ({ order }) => order.read()))),
    statements,
    countStatements: async (...asked: Parameters<Part['countStatements']>) =>
      (await partOf(asked[0])).countStatements(...asked),
    attachments: attachmentsOfCells(places, all, part),
    knowledge: knowledgeOfCells(all, part),
    sessionStatements: {
      ofSession: async (...asked: Parameters<Part['sessionStatements']['ofSession']>) =>
        (await partOf(asked[0].game)).sessionStatements.ofSession(...asked),
    },
    expiry: expiryOfCells(partOf, all),
    expiryDocuments: shared.expiryDocuments,
    gameBytes: {
      ...shared.gameBytes,
      async count(game: number): Promise<boolean> {
        const one = await partOf(game)
        return unlessAway(one, one.gameBytes.count(game), false)
      },
      /** The bytes counted so far, by game: documents in the directory, statements in the cell. */
      async used(games: readonly number[]): Promise<Map<number, number>> {
        const used = await shared.gameBytes.used(games)
        for (const game of games) {
          const one = await partOf(game)
          if (one.server === undefined) continue
          const stored = await unlessAway(one, one.gameBytes.used([game]), new Map<number, number>())
          used.set(game, (used.get(game) ?? 0) + (stored.get(game) ?? 0))
        }
        return used
      },
    },
    learnerData: learnerDataOfCells(shared.learnerData, places, all),
    cells: {
      ...cellAdmin(first, { places, part, servers }),
      async move(gameId: string, to: number): Promise<Moved> {
        const moved = await moveGame(first, part, places, gameId, to)
        // this core knows at once where the game is, the others within a second
        await places.read()
        return moved
      },
      /** Statements outside of the cell of their game. */
      misplaced: () => findMisplaced(first, places, part),
      /** Brings some of them back. */
      bringBack: (asked: Asked) => bringBack(first, counting, places, part, asked),
      /** Deletes some rows of games in cells that they have left; 0: there are none. */
      sweepLeft: () => sweepLeftRows(first, part, places),
      /** Servers beside the directory's: clock in microseconds, undefined if it cannot be reached, and these settings. */
      async otherServers(names: readonly string[]) {
        const parts = new Map((await all()).map((part) => [part.server, part]))
        const away = { clock: undefined, settings: new Map<string, string>() }
        const asked = [...parts.values()].map(async ({ server = '', database: { run } }) => {
          const found = async () => ({
            clock: (await run<{ now: number }>(clock, []))[0]!.now,
            settings: await settingsOf(run, names),
          })
          return { server, ...(await found().catch(() => away)) }
        })
        return (await Promise.all(asked)).filter(({ server }) => server !== '')
      },
      /** Games of which a server was told more than the directory knows. */
      ahead: () => findAhead(first, places, part),
      /** Mends them. */
      mend: () => mend(first, places, part),
      /** Has a promoted standby take over cells of its server. */
      split: (split: Split, cancel: boolean) => splitServer(first, { places, part, servers }, split, cancel),
      /** Undoes moves whose core has ended; returns how many. */
      undoMoves: () => undoMoves(first, part),
    },
    /** Statements of today, and when the last one was stored. */
    async status(): Promise<CellStatus> {
      const read = await inReach(all, ({ database }) => cellStatus(database.run))
      return {
        statementsToday: read.reduce((sum, { statementsToday }) => sum + statementsToday, 0),
        lastStored: Math.max(...read.map(({ lastStored }) => lastStored)),
      }
    },
    /** Connections of all cells. */
    pool() {
      const pools = opened().map(({ database }) => database.pool())
      const sum = (of: (pool: (typeof pools)[number]) => number) => pools.reduce((total, pool) => total + of(pool), 0)
      return {
        limit: sum(({ limit }) => limit),
        used: sum(({ used }) => used),
        free: sum(({ free }) => free),
        waiting: sum(({ waiting }) => waiting),
        broken: sum(({ broken }) => broken),
        unproven: sum(({ unproven }) => unproven),
      }
    },
    close: async (): Promise<void> =>
      void (await Promise.all([close(), ...opened().map(({ database }) => database.close())])),
  }
}

const clock = sql('cell_clock')`select (extract(epoch from clock_timestamp()) * 1000000)::float8 as now`

/** What is removed of a game, in its cell. */
function expiryOfCells(partOf: (game: number) => Promise<Part>, all: () => Promise<Part[]>) {
  type Expiry = Part['expiry']
  const ofGame = async (game: number): Promise<Expiry> => (await partOf(game)).expiry
  return {
    step: async (...of: Parameters<Expiry['step']>) => (await ofGame(of[1])).step(...of),
    lastSeen: async (...of: Parameters<Expiry['lastSeen']>) => (await ofGame(of[0])).lastSeen(...of),
    seenOf: async (...of: Parameters<Expiry['seenOf']>) => (await ofGame(of[0])).seenOf(...of),
    forgetNames: async (...of: Parameters<Expiry['forgetNames']>) => (await ofGame(of[1])).forgetNames(...of),
    forget: async (...of: Parameters<Expiry['forget']>) => (await ofGame(of[1])).forget(...of),
    counted: async (...of: Parameters<Expiry['counted']>) => (await ofGame(of[1])).counted(...of),
    recountBytes: async (game: number) => (await ofGame(game)).recountBytes(game),
    finish: async (...of: Parameters<Expiry['finish']>) => (await ofGame(of[1])).finish(...of),
    countOld: async (...of: Parameters<Expiry['countOld']>) => (await ofGame(of[0])).countOld(...of),
    countOf: async (...of: Parameters<Expiry['countOf']>) => (await ofGame(of[0])).countOf(...of),
    voiding: async (...of: Parameters<Expiry['voiding']>) => (await ofGame(of[0])).voiding(...of),
    placesOf: async (...of: Parameters<Expiry['placesOf']>) => (await ofGame(of[0])).placesOf(...of),
    sweepIds: async (...of: Parameters<Expiry['sweepIds']>) =>
      Math.max(...(await Promise.all((await all()).map(({ expiry }) => expiry.sweepIds(...of))))),
  }
}

/** What statements of all games said, in the order in which they said it. */
function knowledgeOfCells(all: () => Promise<Part[]>, part: (cell: number) => Promise<Part>) {
  const merged = (kind: 'definitions' | 'names') => async (who: Credentialed, key: Key) => {
    // the own cell may have been added within the last second
    const own = await part(who.cell)
    const parts = async () => [...new Set([...(await all()), own])]
    const answers = await inReach(parts, ({ knowledge }) => knowledge[kind](who, key))
    if (answers.includes('stale')) return 'stale'
    const known = answers.filter((one) => one !== undefined && one !== 'stale').flat()
    if (known.length === 0) return undefined
    return known.sort((one, other) => one.stored - other.stored).map(({ text }) => text)
  }
  return { definitions: merged('definitions'), names: merged('names') }
}
