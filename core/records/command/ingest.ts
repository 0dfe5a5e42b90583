import { batcher } from '../../process/concurrency/batcher.ts'
import type { CoreMeters } from '../../process/metrics/meters.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Batch, Outcome } from '../store/cell/write-statements.ts'
import type { PreparedStatement } from '../xapi/prepare.ts'

/** Told of each commit, with the outcome of each batch of its group and how long it took. */
export type Committed = (group: readonly Batch[], outcomes: readonly Outcome[], ms: number) => void

export interface IngestOptions {
  readonly committed?: Committed
  /** Rows to write (statements and what finds them) after which a group is full. */
  readonly groupSize: number
  /** Further full groups that go to the database while one runs, so that the database has the next one at hand. */
  readonly ahead?: number
  /**
   * Bytes of batches that may wait: of all games, and of one. Beyond it calls are refused at once. A game's definitions
   * and names that are stored and not yet told may have as many.
   */
  readonly maxWaitingBytes: number
  readonly maxWaitingBytesOfGame: number
  /**
   * New calls are refused when the oldest batch of their game, or a game, has waited for this number of milliseconds.
   */
  readonly closesAfter: number
}

/**
 * Commits batches in groups, one group after the other. A batch resolves after the commit of its group. Under
 * overload, new batches are refused before they are parsed; waiting ones stay, because their work is done.
 */
export function ingest(
  store: (group: readonly Batch[]) => Promise<Outcome[]>,
  { groupSize, committed = () => {}, ...bounds }: IngestOptions,
  now?: () => number,
) {
  const untold = untoldBytes(bounds.maxWaitingBytesOfGame)
  const refused = overlinkedStatements(now)
  const commit = async (group: readonly Batch[]): Promise<Outcome[]> => {
    const began = performance.now()
    const outcomes = await store(group)
    committed(group, outcomes, performance.now() - began)
    return outcomes
  }
  let before: Promise<unknown> = Promise.resolve()
  /** Stores a batch in a group of its own, one at a time. */
  const alone = (batch: Batch): Promise<Outcome> => {
    const outcome = before
      .then(() => commit([batch]))
      .then(([outcome]) => untold.whenTold(batch, refused.noted(batch, outcome!)))
    before = outcome.catch(() => {})
    return outcome
  }
  // a group may exceed the limit of links although each of its batches fits
  const storeGroup = async (group: readonly Batch[]): Promise<(Outcome | Promise<Outcome>)[]> => {
    const outcomes = await commit(group)
    if (group.length === 1) return [untold.whenTold(group[0]!, refused.noted(group[0]!, outcomes[0]!))]
    return outcomes.map((outcome, index) =>
      outcome === 'overlinked' ? alone(group[index]!) : untold.whenTold(group[index]!, outcome),
    )
  }
  const { call, expectRoom, ...others } = batcher(
    storeGroup,
    {
      ...bounds,
      maxWeight: groupSize,
      weightOf,
      concurrency: 1,
      // no need to wait for more batches: they arrive while a commit runs
      schedule: queueMicrotask,
      refusal,
    },
    now,
  )
  return {
    ...others,
    /** Checks that a batch with this many bytes has room, before any work on it. @throws Refusal 'unavailable' */
    expectRoom(game: number, bytes: number): void {
      untold.expectRoom(game)
      expectRoom(game, bytes)
    },
    async store(batch: Batch): Promise<Outcome> {
      if (refused.has(batch)) return 'overlinked'
      untold.expectRoom(batch.game)
      return call(batch, bytesOf(batch))
    },
  }
}

/**
 * Remembers statements with too many referrers for a minute: the same statements with as many keys or more are refused
 * again without a query.
 */
function overlinkedStatements(now: () => number = () => performance.now()) {
  const known = new Map<string, { keys: number; ends: number }>()
  const of = ({ game }: Batch, id: string): string => `${game} ${id}`
  return {
    has: (batch: Batch): boolean =>
      known.size > 0 &&
      batch.prepared.statements.some((one) => {
        const before = known.get(of(batch, one.id))
        return before !== undefined && before.ends > now() && keysOf(one) >= before.keys
      }),
    noted(batch: Batch, outcome: Outcome): Outcome {
      const [first, second] = batch.prepared.statements
      if (outcome !== 'overlinked' || !first || second) return outcome
      const [oldest] = known.keys()
      if (known.size >= 1_000) known.delete(oldest!)
      known.set(of(batch, first.id), { keys: keysOf(first), ends: now() + 60_000 })
      return outcome
    },
  }
}

/** Number of keys, without actor and verb, which every statement has. */
const keysOf = ({ terms, activity, registration }: PreparedStatement): number =>
  terms.length + Number(activity !== undefined) + Number(registration !== undefined)

/** Rows of a batch that are written while all others wait. */
const rowsOf = ({ prepared, attached = [] }: Batch): number =>
  prepared.statements.reduce((sum, { terms }) => sum + 1 + terms.length, attached.length)

/** Of definitions and names only the bytes are written in that commit. */
const weightOf = (batch: Batch): number =>
  rowsOf(batch) + (batch.prepared.activities.length + batch.prepared.agents.length) / 4

export type Ingest = ReturnType<typeof ingest>

const refusal = 'The store has more to write than it can take; try again.'
/** Bytes that a definition or name has in `telling` beside its text, with what readers pay for it. */
const mentionBytes = 256

const bytesOf = ({ prepared }: Batch): number => prepared.bodies.byteLength

/**
 * Definitions and names are written before the answer of their request. The next group does not wait for that. Until
 * then all readers look through them, so one game may have so many bytes of them and no more.
 */
function untoldBytes(mostOfGame: number) {
  const games = new Map<number, number>()
  const add = (game: number, bytes: number): void => {
    const sum = (games.get(game) ?? 0) + bytes
    if (sum === 0) games.delete(game)
    else games.set(game, sum)
  }
  return {
    /** A game that waits for nothing has room for any batch. @throws Refusal 'unavailable' */
    expectRoom(game: number): void {
      if ((games.get(game) ?? 0) >= mostOfGame) throw new Refusal('unavailable', refusal)
    },
    whenTold(batch: Batch, outcome: Outcome): Outcome | Promise<Outcome> {
      if (typeof outcome !== 'object' || !outcome.told) return outcome
      const { game, prepared } = batch
      const bytes = bytesOf(batch) + (prepared.activities.length + prepared.agents.length) * mentionBytes
      add(game, bytes)
      return outcome.told.then(() => {
        add(game, -bytes)
        return outcome
      })
    },
  }
}

/**
 * Commits the batches of each cell in groups of their own, so that a slow commit delays only its cell.
 * @param make the groups of one cell
 * @param maxWaitingBytes bytes that may wait in all cells
 */
export function ingestByCell(make: () => Ingest, maxWaitingBytes: number) {
  const cells = new Map<number, Ingest>()

  function of(cell: number): Ingest {
    let one = cells.get(cell)
    if (!one) cells.set(cell, (one = make()))
    return one
  }
  const waitingBytes = (): number => [...cells.values()].reduce((sum, one) => sum + one.waitingBytes(), 0)

  return {
    /** Checks that a batch with this many bytes has room, before any work on it. @throws Refusal 'unavailable' */
    expectRoom({ cell, game }: { cell: number; game: number }, bytes: number): void {
      if (waitingBytes() + bytes > maxWaitingBytes) throw new Refusal('unavailable', refusal)
      of(cell).expectRoom(game, bytes)
    },
    store: (batch: Batch): Promise<Outcome> => of(batch.cell).store(batch),
    waitingBytes,
    /** Rows that were written so far. */
    written: (): number => [...cells.values()].reduce((sum, one) => sum + one.taken(), 0),
    /** Resolves when no batch waits or is stored. */
    idle: async (): Promise<void> => void (await Promise.all([...cells.values()].map((one) => one.idle()))),
  }
}

export type IngestByCell = ReturnType<typeof ingestByCell>

/** Counts commits, and what they stored. */
export const commitMeters =
  (meters: CoreMeters): Committed =>
  (group, outcomes, ms) => {
    const { cell } = group[0]!
    const stored = outcomes.filter((outcome) => typeof outcome === 'object')
    const sum = (kind: (outcome: (typeof stored)[number]) => number) =>
      stored.reduce((total, outcome) => total + kind(outcome), 0)
    const [isNew, skipped] = [sum((outcome) => outcome.stored.length), sum((outcome) => outcome.skipped)]
    meters.groupSeconds.observe({ cell }, ms / 1000)
    meters.groupRequests.observe(group.length)
    meters.groupRows.observe(
      { cell },
      group.reduce((total, batch) => total + rowsOf(batch), 0),
    )
    meters.groupStatements.observe({ cell }, isNew + skipped)
    meters.statements.inc({ outcome: 'stored' }, isNew)
    if (skipped > 0) meters.statements.inc({ outcome: 'skipped' }, skipped)
  }
