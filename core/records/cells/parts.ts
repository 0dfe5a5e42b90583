import type { Reader } from '../store/cell/page-parameters.ts'
import { sizes } from '../../../shared/limits.ts'
import type { Page, StatementPage } from '../store/cell/read-pages.ts'
import type { Batch } from '../store/cell/write-statements.ts'
import { inReach, readAll, unlessAway } from './all-games.ts'
import type { Watermark } from '../store/cell/watermark.ts'
import { attachedIn } from './attachments.ts'
import { placeIn, type CellPlaces, type CellReading } from '../rules/cell-places.ts'
import { Refusal } from '../../process/refusal.ts'
import { mergedFound, mergedPage } from './merge.ts'
import { cellOver } from './cell.ts'
import type { Counting } from '../store/cell/counting.ts'
import { sharedWith } from './access.ts'
import type { Database } from '../../process/database/database.ts'
import type { Part } from './part.ts'
import { remotePart } from './remote-part.ts'
import type { Placement, Places } from './places.ts'

type Statements = Part['statements']

type CellsPage = StatementPage & { readonly byCell?: CellReading }

/**
 * The cells that this core has connections to. Others are opened when they are first used. Their
 * statements are one store.
 * @param open connections that work for a cell; `server` names its server, undefined: that of the directory
 * @param orderOf how far the order of a cell is complete, when the connections lead to a standby
 */
export function partsOf(
  first: Database,
  counting: Counting,
  places: Places,
  open: (cell: number, server: (() => string) | undefined) => Database,
  orderOf?: (cell: number, database: Database) => Watermark,
) {
  const parts = new Map<number, Part>()
  const access = sharedWith(first, places)
  const commits = commitList()

  function add(number: number, server: string | undefined): Part {
    // another one may take over the cell (split.ts)
    const serverNow = server === undefined ? undefined : () => places.lastServerOf(number) ?? server
    const database = number === 1 ? first : open(number, serverNow)
    const local = {
      ...cellOver(database, counting, commits.tell, orderOf?.(number, database)),
      number,
      database,
      get server() {
        return serverNow?.()
      },
    }
    const one = server === undefined ? local : remotePart(local, access)
    parts.set(number, one)
    return one
  }
  const shared = add(1, undefined)

  async function part(number: number): Promise<Part> {
    const known = parts.get(number)
    if (known) return known
    const server = (await places.serverOf(number)) ?? undefined
    return parts.get(number) ?? add(number, server)
  }

  const partOf = async (game: number): Promise<Part> => part(await places.of(game))
  const all = async (): Promise<Part[]> => Promise.all((await places.recent()).cells.map(part))

  const statements = {
    async byId(reader: Reader, id: string, voided: boolean): ReturnType<Statements['byId']> {
      if (!reader.everything) return (await part(reader.cell)).statements.byId(reader, id, voided)
      const found = await readAll(places, part, (one) => one.statements.byId(reader, id, voided), { patient: !orderOf })
      if (found === 'stale') return found
      return found.reads.length === 1 ? found.reads[0]! : mergedFound(found.reads, found.through)
    },
    async page(reader, filter, page: CellsPage): Promise<(Page & { readonly cells?: CellPlaces }) | 'stale'> {
      const { byCell } = page
      if (!reader.everything) {
        if (byCell)
          throw new Refusal('forbidden', 'Only a credential that reads all games reads by cell.', { path: 'byCell' })
        return (await part(reader.cell)).statements.page(reader, filter, page)
      }
      const ofGame = byCell?.gameId === undefined ? undefined : await places.gameOf(byCell.gameId)
      const cellsOf = async ({ cells }: Placement) =>
        ofGame !== undefined
          ? [await places.of(ofGame)]
          : cells.filter((cell) => !byCell?.only.length || byCell.only.includes(cell))
      const found = await readAll(
        places,
        part,
        (one, through, { changes }) => {
          const until = Math.min(page.until ?? Infinity, through)
          const range = Number.isFinite(until) ? { ...page, until } : page
          const after = byCell?.places ? placeIn(byCell.places, changes, one.number) : page.after
          return one.statements.page({ ...reader, ofGame }, filter, { ...range, after })
        },
        { cellsOf, withoutAway: byCell?.withoutAway, patient: !orderOf },
      )
      if (found === 'stale') return found
      const { reads, placement, each } = found
      if (!byCell && reads.length === 1) return reads[0]!
      // where one cell is read, its own read says how far
      const through = Number.isFinite(found.through) ? found.through : (reads[0]?.consistentThrough ?? 0)
      const merged = mergedPage(reads, through, page, page.bytes ?? sizes.page.run)
      if (!byCell) return merged
      const cells = each.map(({ cell, away }) => ({ cell, through: away ? 0 : through, away }))
      return byCells(merged, byCell, { placement, cells })
    },
    bodies: async (game, ids) => (await partOf(game)).statements.bodies(game, ids),
    actorsOf: async (game, ids) => (await partOf(game)).statements.actorsOf(game, ids),
    async latest(games, everything) {
      const latest = new Map<number, number>()
      for (const found of await inReach(all, (one) => one.statements.latest(games, everything)))
        for (const [game, stored] of found) latest.set(game, Math.max(stored, latest.get(game) ?? 0))
      return latest
    },
    /** What killed cores have left in any cell. */
    tellRest: async (seconds) =>
      Math.max(
        ...(await Promise.all((await all()).map((one) => unlessAway(one, one.statements.tellRest(seconds), 0)))),
      ),
    /** Stores a group of batches of one cell. */
    async store(group: readonly Batch[]) {
      const { cell } = group[0]!
      return (await part(cell)).statements.store(group.map((batch) => inCell(cell, batch)))
    },
  } satisfies Statements

  return {
    shared,
    part,
    partOf,
    all,
    opened: (): Part[] => [...parts.values()],
    statements: { ...statements, onCommit: commits.onCommit },
  }
}

/** The answer to a reader who asks by cell. @throws Refusal when no place of the reader holds in the cells any more */
function byCells(page: Page, { only, places }: CellReading, { placement, cells }: CellPlaces) {
  if (cells.length === 0) throw new Refusal('not-found', 'There is no such cell; see cells list.')
  if (only.length > 0 && places && !['', placement].includes(places.placement))
    throw new Refusal(
      'conflict',
      'Games were moved, or a cell was added: begin `after` the smallest `through` of all cells, in each of them.',
    )
  const isWhole = cells.every(({ away }) => !away)
  return { ...page, consistentThrough: isWhole ? page.consistentThrough : 0, cells: { placement, cells } }
}

const inCell = (cell: number, batch: Batch): Batch =>
  batch.attached === undefined || batch.attached.length === 0
    ? batch
    : { ...batch, attached: attachedIn(cell, batch.attached) }

type Listener = (games: ReadonlySet<number>) => void

/** Who wants to know of commits of this core, in all cells. */
function commitList() {
  const listeners = new Set<Listener>()
  return {
    tell: (games: ReadonlySet<number>): void => {
      for (const listener of listeners) listener(games)
    },
    /**
     * Calls `listener` with the games of each commit that stored something; returns how to stop that.
     * @param gatherMs milliseconds whose commits are told together; 0: each at once
     */
    onCommit(listener: Listener, gatherMs = 0): () => void {
      let games = new Set<number>()
      let timer: NodeJS.Timeout | undefined
      const tell = (): void => {
        const gathered = games
        games = new Set()
        timer = undefined
        listener(gathered)
      }
      const gather: Listener = (more) => {
        for (const game of more) games.add(game)
        timer ??= setTimeout(tell, gatherMs).unref()
      }
      const one = gatherMs === 0 ? listener : gather
      listeners.add(one)
      return () => {
        listeners.delete(one)
        clearTimeout(timer)
      }
    },
  }
}
