import { setTimeout as pause } from 'node:timers/promises'
import { batcher, usualWait } from '../../process/concurrency/batcher.ts'
import type { Counting } from '../store/cell/counting.ts'
import type { Reader } from '../store/cell/page-parameters.ts'
import { primaryOrder, primaryState, type PrimaryState } from '../store/cell/primary-state.ts'
import type { Credentialed } from '../store/cell/write-statements.ts'
import type { Part } from './part.ts'
import type { partsOf } from './parts.ts'
import type { Places } from './places.ts'
import { standbyOf, type PrimaryOrders, type StandbyServer } from './standby.ts'

/** Milliseconds between two checks of how far the standbys are, and whether a failed one is back. */
const everyMs = 1_000

type OfCells = Pick<ReturnType<typeof partsOf>['statements'], 'byId' | 'page'>
type Statements = Pick<OfCells, 'byId'> & {
  /** @param seesOwn whether the page heeds what the game wrote before; a follower gets it with a later page */
  page(
    reader: Reader,
    filter: Parameters<OfCells['page']>[1],
    page: Parameters<OfCells['page']>[2],
    seesOwn?: boolean,
  ): ReturnType<OfCells['page']>
}

/** How many reads which server answered; `changed`: the primary, because the answer of a standby was out of date. */
const none = { standby: 0, changed: 0, primary: 0 }

/**
 * Statements read on standbys of the directory's server (docs/adr/0019-cells.md). Without any: on the primary.
 * @param statements reads them on the primary
 */
export function standbyReads(
  servers: readonly StandbyServer[],
  counting: Counting,
  statements: OfCells,
  part: (cell: number) => Promise<Part>,
  places: Places,
) {
  const standbys = servers.map((server) => standbyOf(server, counting))
  const counts = { ...none }
  const askers = new Map<number, (who: Credentialed) => Promise<PrimaryState>>()
  const closing = new AbortController()
  let turn = 0

  /** Whether standbys have all cells of the reader: they have none of other servers. */
  const haveAll = ({ everything, cell }: Reader): boolean =>
    everything ? places.last().servers.every((server) => server === null) : places.lastServerOf(cell) === null

  async function askPrimary(who: Credentialed): Promise<PrimaryState> {
    const { database } = await part(who.cell)
    const ask =
      askers.get(who.cell) ??
      batcher((all: readonly Credentialed[]) => primaryState(database.run, all), {
        ...usualWait,
        maxWeight: 256,
        concurrency: 2,
      }).call
    askers.set(who.cell, ask)
    return ask(who)
  }

  /**
   * Reads on a standby; undefined: read on the primary.
   * @param endOf the last position that an answer covers
   */
  async function readThere<Found extends { readonly consistentThrough: number }>(
    reader: Reader,
    after: number,
    read: (statements: Part['statements']) => Promise<Found | 'stale'>,
    endOf: (found: Found) => number,
    seesOwn: boolean,
  ): Promise<Found | 'stale' | undefined> {
    turn++
    for (const n of haveAll(reader) ? standbys.keys() : []) {
      const there = await standbys[(turn + n) % standbys.length]!.read(reader.cell, after, read)
      if (there === undefined) continue
      if (there === 'failed') break
      const { found, erased } = there
      const now = await askPrimary(reader)
      const end = endOf(found)
      // another cell may be ahead of `last`; what the game wrote later may void what is on the page
      const isBehind =
        (end > found.consistentThrough && end <= (reader.everything ? Number.MAX_VALUE : now.last)) ||
        (seesOwn && now.wrote > found.consistentThrough)
      if (now.current && now.erased === erased && !isBehind) {
        counts.standby++
        return found
      }
      counts.changed++
      return now.current ? undefined : 'stale'
    }
    counts.primary++
    return undefined
  }

  async function ordersNow(): Promise<PrimaryOrders> {
    const cells = [...new Set(standbys.flatMap((standby) => standby.cells()))]
    const orders = cells.map(async (cell) => [cell, await primaryOrder((await part(cell)).database.run)] as const)
    return new Map(await Promise.all(orders))
  }

  async function keepLooking(): Promise<void> {
    let before: PrimaryOrders = new Map()
    while (!closing.signal.aborted) {
      // while the primary gives no answer or takes no writes, its orders do not change
      const now = await ordersNow().catch(() => before)
      await Promise.all(standbys.map((standby) => standby.look(before, now)))
      before = now
      await pause(everyMs, undefined, { ref: false, signal: closing.signal }).catch(() => {})
    }
  }
  if (standbys.length > 0) void keepLooking()

  const onStandbys: Statements = {
    async byId(reader, id, voided) {
      const found = await readThere(
        reader,
        0,
        (there) => there.byId(reader, id, voided),
        () => Infinity,
        true,
      )
      // the caller may know of a statement that the standby does not have yet
      return found === 'stale' || found?.statements.length ? found : statements.byId(reader, id, voided)
    },
    async page(reader, filter, page, seesOwn = true) {
      // places by cell are those of the primary
      if (page.byCell) return statements.page(reader, filter, page)
      const found = await readThere(
        reader,
        page.after ?? 0,
        (there) => there.page(reader, filter, page),
        ({ more, statements }) => (more && page.ascending ? statements.at(-1)!.stored : (page.until ?? Infinity)),
        seesOwn,
      )
      return found ?? statements.page(reader, filter, page)
    },
  }
  const reads: Statements = standbys.length > 0 ? onStandbys : statements
  return {
    reads,
    standbys: () => standbys.map(({ state }) => state()),
    readCounts: () => counts,
    async close(): Promise<void> {
      closing.abort()
      await Promise.all(standbys.map((standby) => standby.close()))
    },
  }
}
