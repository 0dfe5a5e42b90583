import { isAway, Refusal } from '../refusal.ts'
import type { Batch, Outcome } from '../store/write-statements.ts'

export interface IngestOptions {
  /** Rows to write (statements and what finds them) after which a group is full. */
  readonly groupSize: number
  /** Bytes of batches that may wait, of all games and of one; beyond that calls are refused at once. */
  readonly waitingBytes: number
  readonly waitingBytesOfGame: number
  /** Milliseconds that the oldest batch of a game, or a game for its turn, may have waited; beyond that newcomers are refused at once. */
  readonly patience: number
}

interface Waiting {
  readonly batch: Batch
  readonly bytes: number
  readonly since: number
  readonly resolve: (outcome: Exclude<Outcome, 'stale'> | 'stale') => void
  readonly reject: (error: unknown) => void
}

interface Queue {
  readonly waiting: Waiting[]
  bytes: number
  /** When it began to wait for its turn. */
  since: number
}

/**
 * Commits batches that arrive at the same time together: while one group is under way the next one gathers, game by game
 * in turn, so that who sends much waits for itself.
 * A batch resolves after the commit that holds it, whole. A group that fails is tried batch by batch, so that one
 * batch cannot take others down with it.
 */
export function ingest(store: (group: readonly Batch[]) => Promise<Outcome[]>, options: IngestOptions, now: () => number = () => performance.now()) {
  // By game, the one whose turn it is first.
  const queues = new Map<number, Queue>()
  let waitingBytes = 0
  let running: Promise<void> | undefined

  async function drain(): Promise<void> {
    while (queues.size > 0) await commit(nextGroup())
    running = undefined
  }

  function nextGroup(): Waiting[] {
    const group: Waiting[] = []
    let rows = 0
    for (const [game, queue] of queues) {
      const next = queue.waiting.shift()!
      group.push(next)
      waitingBytes -= next.bytes
      queue.bytes -= next.bytes
      // a Map's iterator comes to what was added meanwhile: the game's next turn is after all others
      queues.delete(game)
      if (queue.waiting.length > 0) queues.set(game, Object.assign(queue, { since: now() }))
      rows += rowsOf(next.batch)
      if (rows >= options.groupSize) break
    }
    return group
  }

  function takeAll(): Waiting[] {
    const all = [...queues.values()].flatMap(({ waiting }) => waiting)
    queues.clear()
    waitingBytes = 0
    return all
  }

  /** Why a batch of this game is not taken: it would wait too long, after the oldest of its game, and its game after all others. */
  function fullFor(game: number, bytes: number): Refusal | undefined {
    const queue = queues.get(game)
    const [first] = queues.values()
    const before = now() - options.patience
    const tooLate = (queue?.waiting[0]?.since ?? Infinity) < before || (first?.since ?? Infinity) < before
    if (!tooLate && waitingBytes + bytes <= options.waitingBytes && (queue?.bytes ?? 0) + bytes <= options.waitingBytesOfGame) return undefined
    return new Refusal('unavailable', 'The store has more to write than it can take; try again.')
  }

  async function commit(group: Waiting[]): Promise<void> {
    try {
      const outcomes = await store(group.map(({ batch }) => batch))
      group.forEach(({ resolve }, index) => resolve(outcomes[index]!))
    } catch (error) {
      const away = error instanceof Refusal && error.reason === 'unavailable' && !error.one
      // those that wait would find out by themselves, one group after the other
      if (isAway(error)) for (const { reject } of takeAll()) reject(error)
      if (group.length === 1 || away) for (const { reject } of group) reject(error)
      else for (const one of group) await commit([one])
    }
  }

  return {
    /** Before any work is done for a batch of so many bytes. @throws Refusal 'unavailable' */
    expectRoom(game: number, bytes: number): void {
      const full = fullFor(game, bytes)
      if (full) throw full
    },
    store: (batch: Batch): Promise<Outcome> =>
      new Promise((resolve, reject) => {
        const bytes = batch.prepared.statements.reduce((sum, { body }) => sum + body.length, 0)
        const full = fullFor(batch.game, bytes)
        if (full) return reject(full)
        const queue = queues.get(batch.game) ?? { waiting: [], bytes: 0, since: now() }
        waitingBytes += bytes
        queue.bytes += bytes
        queue.waiting.push({ batch, bytes, since: now(), resolve, reject })
        queues.set(batch.game, queue)
        running ??= Promise.resolve().then(drain)
      }),
    /** Of batches that wait for their group. */
    get waitingBytes() {
      return waitingBytes
    },
    /** Resolves when nothing waits any more. */
    idle: async () => {
      while (running) await running
    },
  }
}

/** What a batch costs while all others wait. */
function rowsOf({ prepared: { statements, activities, agents } }: Batch): number {
  return statements.reduce((sum, { terms }) => sum + 1 + terms.length, (activities.length + agents.length) / 4)
}

export type Ingest = ReturnType<typeof ingest>
