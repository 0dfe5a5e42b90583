import { Refusal } from '../refusal.ts'
import type { Batch, Outcome } from '../store/write-statements.ts'

export interface IngestOptions {
  /** Statements in one group; a batch larger than that forms a group of its own. */
  readonly groupSize: number
  /** Bytes of batches that may wait; beyond that calls are refused at once. */
  readonly waitingBytes: number
}

interface Waiting {
  readonly batch: Batch
  readonly bytes: number
  readonly resolve: (outcome: Exclude<Outcome, 'stale'> | 'stale') => void
  readonly reject: (error: unknown) => void
}

/**
 * Commits batches that arrive at the same time together: while one group is under way the next one gathers.
 * A batch resolves after the commit that holds it, whole. A group that fails is tried batch by batch, so that one
 * batch cannot take others down with it.
 */
export function ingest(store: (group: readonly Batch[]) => Promise<Outcome[]>, options: IngestOptions) {
  let waiting: Waiting[] = []
  let waitingBytes = 0
  let running: Promise<void> | undefined

  async function drain(): Promise<void> {
    while (waiting.length > 0) await commit(nextGroup())
    running = undefined
  }

  function nextGroup(): Waiting[] {
    let statements = 0
    let end = 0
    while (end < waiting.length && (end === 0 || statements < options.groupSize)) statements += waiting[end++]!.batch.prepared.statements.length
    const group = waiting.slice(0, end)
    waiting = waiting.slice(end)
    for (const { bytes } of group) waitingBytes -= bytes
    return group
  }

  async function commit(group: Waiting[]): Promise<void> {
    try {
      const outcomes = await store(group.map(({ batch }) => batch))
      group.forEach(({ resolve }, index) => resolve(outcomes[index]!))
    } catch (error) {
      const away = error instanceof Refusal && error.reason === 'unavailable' && !error.one
      if (group.length === 1 || away) for (const { reject } of group) reject(error)
      else for (const one of group) await commit([one])
    }
  }

  return {
    store: (batch: Batch): Promise<Outcome> =>
      new Promise((resolve, reject) => {
        const bytes = batch.prepared.statements.reduce((sum, { body }) => sum + body.length, 0)
        if (waitingBytes + bytes > options.waitingBytes) {
          reject(new Refusal('unavailable', 'The store has more to write than it can take; try again.'))
          return
        }
        waitingBytes += bytes
        waiting.push({ batch, bytes, resolve, reject })
        running ??= Promise.resolve().then(drain)
      }),
    /** Resolves when nothing waits any more. */
    idle: async () => {
      while (running) await running
    },
  }
}

export type Ingest = ReturnType<typeof ingest>
