import type { Logger } from 'pino'
import type { Jobs } from './jobs.ts'
import { repeat } from './repeat.ts'

export type Once = (ending: AbortSignal) => Promise<unknown>

/** Periodic work: its name, milliseconds between two runs, and a run. */
export type Sweep = readonly [name: string, everyMs: number, once: Once]

/** What runs beside the calls of a wing. */
export interface Running {
  /** Ends the calls that go on for long, and takes no more. */
  readonly leave?: () => unknown
  /** Stops what calls other systems, after the calls that are under way. */
  readonly stopCalls?: () => Promise<unknown>
  readonly stop: () => Promise<unknown>
  /** Writes what waits to be written, after the last call. */
  readonly flush?: () => Promise<unknown>
}

export const hourMs = 60 * 60 * 1000
/** Rows that one query removes. */
export const batch = 100

/** Until a batch is not full. */
export const inBatches =
  (remove: () => Promise<number>): Once =>
  async (ending) => {
    while (!ending.aborted && (await remove()) === batch);
  }
/** As long as something was done. */
export const whileAny =
  (work: () => Promise<number>): Once =>
  async (ending) => {
    while (!ending.aborted && (await work()) > 0);
  }

/**
 * Removes at intervals what is expired; each core has its own times.
 * @param others stopped with them
 * @returns stops the intervals and waits for what is under way
 */
export function startSweeps(
  sweeps: readonly Sweep[],
  { jobs, log }: { readonly jobs: Jobs; readonly log: Logger },
  ...others: readonly { stop(): Promise<unknown> }[]
): () => Promise<unknown> {
  const loops = sweeps.map(([name, everyMs, once]) =>
    repeat({ everyMs, failed: `${name} could not be swept`, log }, (ending) =>
      jobs.run(name, everyMs, () => once(ending)),
    ),
  )
  return () => Promise.all([...loops, ...others].map(({ stop }) => stop()))
}
