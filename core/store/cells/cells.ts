import type { Reader } from '../cell/page-parameters.ts'
import { cellStatus, type CellStatus } from '../cell/status.ts'
import { pageBytes } from '../cell/read-pages.ts'
import type { Key } from '../../xapi/identify.ts'
import type { Batch, Credentialed } from '../cell/write-statements.ts'
import type { Database } from '../database.ts'
import { readAll } from './all-games.ts'
import { attachedIn, attachmentsOfCells } from './attachments.ts'
import { learnerDataOfCells } from './learner-data.ts'
import { mergedFound, mergedPage } from './merge.ts'
import { sweepLeftRows } from './left-rows.ts'
import { moveGame } from './move-game.ts'
import { partsOf, type Part } from './parts.ts'
import { places as placesOf } from './places.ts'
import { cellAdmin } from './admin.ts'

type Statements = Part['statements']

/**
 * The cells of a database as one (docs/adr/0019). Requests of a game go to its cell; those of all games ask every cell.
 * Tables without an order (credentials, documents, tallies, counts) are in the schema of the first cell, for all cells.
 * @param open connections that work for a cell
 */
export function cellsOver(first: Database, open: (cell: number) => Database) {
  const listeners = new Set<(games: ReadonlySet<number>) => void>()
  const places = placesOf(first)
  const { part, opened } = partsOf(first, open, ({ statements }) => {
    statements.onCommit((games) => {
      for (const listener of listeners) listener(games)
    })
  })
  const shared = part(1)
  const partOf = async (game: number): Promise<Part> => part(await places.of(game))
  const all = (): Promise<Part[]> => places.recent().then(({ cells }) => cells.map(part))

  const statements = {
    async byId(reader: Reader, id: string, voided: boolean): ReturnType<Statements['byId']> {
      if (!reader.everything) return part(reader.cell).statements.byId(reader, id, voided)
      const found = await readAll(places, part, (one) => one.statements.byId(reader, id, voided))
      if (found === 'stale') return found
      return found.reads.length === 1 ? found.reads[0]! : mergedFound(found.reads, found.through)
    },
    async page(reader, filter, page): ReturnType<Statements['page']> {
      if (!reader.everything) return part(reader.cell).statements.page(reader, filter, page)
      const found = await readAll(places, part, (one, through) => {
        const until = Math.min(page.until ?? Infinity, through)
        return one.statements.page(reader, filter, Number.isFinite(until) ? { ...page, until } : page)
      })
      if (found === 'stale') return found
      if (found.reads.length === 1) return found.reads[0]!
      return mergedPage(found.reads, found.through, page, page.bytes ?? pageBytes)
    },
    bodies: async (game, ids) => (await partOf(game)).statements.bodies(game, ids),
    actorsOf: async (game, ids) => (await partOf(game)).statements.actorsOf(game, ids),
    async latest(games, everything) {
      const latest = new Map<number, number>()
      for (const one of await all()) {
        for (const [game, stored] of await one.statements.latest(games, everything))
          latest.set(game, Math.max(stored, latest.get(game) ?? 0))
      }
      return latest
    },
    onCommit(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Stores a group of batches of one cell. */
    store(group: readonly Batch[]) {
      const { cell } = group[0]!
      return part(cell).statements.store(group.map((batch) => inCell(cell, batch)))
    },
  } satisfies Statements

  return {
    places,
    credentials: shared.credentials,
    documents: shared.documents,
    endedSessions: shared.endedSessions,
    refusals: shared.refusals,
    suspendedStudios: shared.suspendedStudios,
    /** Microseconds up to which the orders of all cells are known to be complete. */
    through: async (): Promise<number> =>
      Math.min(...(await Promise.all((await all()).map(({ order }) => order.read())))),
    statements,
    attachments: attachmentsOfCells(places, part),
    knowledge: knowledgeOfCells(all, part),
    tallies: {
      begin: async (game: number) => (await partOf(game)).tallies.begin(game),
      fold: async (game: number) => (await partOf(game)).tallies.fold(game),
      /** Games whose charts were opened lately and lack statements. */
      behind: async () => (await Promise.all((await all()).map(({ tallies }) => tallies.behind()))).flat(),
    },
    tallyNames: async (game: number, keys: readonly string[]) => (await partOf(game)).tallyNames(game, keys),
    insights: {
      read: async (...asked: Parameters<Part['insights']['read']>) => (await partOf(asked[0])).insights.read(...asked),
    },
    plays: {
      list: async (...asked: Parameters<Part['plays']['list']>) => (await partOf(asked[0])).plays.list(...asked),
      players: async (...asked: Parameters<Part['plays']['players']>) =>
        (await partOf(asked[0])).plays.players(...asked),
    },
    learnerResults: {
      newest: async (...asked: Parameters<Part['learnerResults']['newest']>) =>
        (await partOf(asked[0])).learnerResults.newest(...asked),
    },
    expiry: expiryOfCells(partOf, all),
    expiryDocuments: shared.expiryDocuments,
    gameBytes: {
      ...shared.gameBytes,
      count: async (game: number) => (await partOf(game)).gameBytes.count(game),
    },
    /** Of the cell that the game is in. */
    learnersSeen: async (game: number): Promise<Part['learnersSeen']> => (await partOf(game)).learnersSeen,
    learnerData: learnerDataOfCells(shared.learnerData, all),
    cells: {
      ...cellAdmin(first),
      move: (gameId: string, to: number) => moveGame(first, gameId, to),
      /** Deletes some rows of games in cells that they have left; 0: there are none. */
      sweepLeft: () => sweepLeftRows(first),
    },
    /** Statements of today, and when the last one was stored. */
    async status(): Promise<CellStatus> {
      const read = await Promise.all((await all()).map(({ database }) => cellStatus(database.run)))
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
      }
    },
    close: async (): Promise<void> => void (await Promise.all(opened().map(({ database }) => database.close()))),
  }
}

const inCell = (cell: number, batch: Batch): Batch =>
  batch.attached === undefined || batch.attached.length === 0
    ? batch
    : { ...batch, attached: attachedIn(cell, batch.attached) }

/** What is removed of a game, in its cell. */
function expiryOfCells(partOf: (game: number) => Promise<Part>, all: () => Promise<Part[]>) {
  type Expiry = Part['expiry']
  const ofGame = async (game: number): Promise<Expiry> => (await partOf(game)).expiry
  return {
    step: async (...of: Parameters<Expiry['step']>) => (await ofGame(of[1])).step(...of),
    lastSeen: async (...of: Parameters<Expiry['lastSeen']>) => (await ofGame(of[0])).lastSeen(...of),
    seenOf: async (...of: Parameters<Expiry['seenOf']>) => (await ofGame(of[0])).seenOf(...of),
    forget: async (...of: Parameters<Expiry['forget']>) => (await ofGame(of[1])).forget(...of),
    counted: async (...of: Parameters<Expiry['counted']>) => (await ofGame(of[1])).counted(...of),
    recountBytes: async (game: number) => (await ofGame(game)).recountBytes(game),
    finish: async (...of: Parameters<Expiry['finish']>) => (await ofGame(of[1])).finish(...of),
    countOld: async (...of: Parameters<Expiry['countOld']>) => (await ofGame(of[0])).countOld(...of),
    countOf: async (...of: Parameters<Expiry['countOf']>) => (await ofGame(of[0])).countOf(...of),
    sweepIds: async (...of: Parameters<Expiry['sweepIds']>) =>
      Math.max(...(await Promise.all((await all()).map(({ expiry }) => expiry.sweepIds(...of))))),
  }
}

/** What statements of all games said, in the order in which they said it. */
function knowledgeOfCells(all: () => Promise<Part[]>, part: (cell: number) => Part) {
  const merged = (kind: 'definitions' | 'names') => async (who: Credentialed, key: Key) => {
    // the own cell may have been added within the last second
    const parts = new Set([...(await all()), part(who.cell)])
    const answers = await Promise.all([...parts].map(({ knowledge }) => knowledge[kind](who, key)))
    if (answers.includes('stale')) return 'stale'
    const known = answers.filter((one) => one !== undefined && one !== 'stale').flat()
    if (known.length === 0) return undefined
    return known.sort((one, other) => one.stored - other.stored).map(({ text }) => text)
  }
  return { definitions: merged('definitions'), names: merged('names') }
}
