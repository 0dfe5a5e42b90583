import type { Logger } from 'pino'
import { deliveries as limits, leaseSeconds as usualSeconds } from '../../../shared/limits.ts'
import type { Jobs } from './jobs.ts'
import { isAway } from '../refusal.ts'
import { fairShares } from './fair-shares.ts'
import { hold } from './hold.ts'
import { repeat } from './repeat.ts'

/** Work whose rows are in the database: one core at a time works on a row, as long as it shows that it lives. */
export interface LeasedWork<Row> {
  /** Of the job, as admins see it. */
  readonly name: string
  /**
   * Takes a row that is due and that nobody has (`for update skip locked`), for these seconds.
   * @param busy owners and hosts that have all the slots they get: their rows are left where they are
   * @param used by owners in the last minutes: the row of the one who has used the least comes first
   */
  lease(seconds: number, busy: readonly string[], used: ReadonlyMap<string, number>): Promise<Row | undefined>
  /** Whose work it is: `studio 7`. Without it there are no shares. */
  owner?(row: Row): string
  /** Where it goes: `host example.org`. */
  host?(row: Row): string
  /** Shows that this core still works on it; false: another one has it, or it is gone. */
  renew(row: Row, seconds: number): Promise<boolean>
  /** Lets go of it: another core may take it at once. */
  release(row: Row): Promise<void>
  /**
   * Does it and writes down how it ended, which ends the lease. What it throws is logged, and the row is taken again
   * when the lease is over.
   * @param signal aborts when the row was lost or this core ends
   */
  deliver(row: Row, signal: AbortSignal): Promise<void>
}

export interface LeasedOptions {
  /** Milliseconds between two looks. */
  readonly everyMs: number
  readonly jobs: Jobs
  readonly log: Pick<Logger, 'debug' | 'warn'>
  readonly atOnce?: number
  readonly atOnceOfOne?: number
  readonly atOnceOfHost?: number
  readonly leaseSeconds?: number
}

/**
 * Works on rows as they become due, several at a time, in fair shares. A slow one holds its own slot only. When a core
 * dies, others take its rows as their leases end.
 */
export function startLeasedWork<Row>(
  { name, lease, owner = () => '', host = () => '', renew, release, deliver }: LeasedWork<Row>,
  {
    everyMs,
    jobs,
    log,
    atOnce = limits.atOnce,
    atOnceOfOne = limits.atOnceOfOne,
    atOnceOfHost = limits.atOnceOfHost,
    leaseSeconds = usualSeconds,
  }: LeasedOptions,
) {
  const running = new Set<Promise<void>>()
  const shares = fairShares({ atOnce, ofOne: atOnceOfOne, ofHost: atOnceOfHost })
  const failed = `${name} failed`
  const tell = (error: unknown): void => log[isAway(error) ? 'debug' : 'warn']({ err: error }, failed)

  async function work(row: Row, ending: AbortSignal): Promise<void> {
    const { lost, end } = hold(row, renew, leaseSeconds)
    const signal = AbortSignal.any([ending, lost])
    const isExpected = (error: unknown): void => {
      if (!signal.aborted) throw error
    }
    await jobs.run(name, everyMs, () => deliver(row, signal).catch(isExpected)).catch(tell)
    end()
    if (ending.aborted) await release(row).catch(tell)
  }

  const { wake, stop } = repeat({ everyMs, failed, log }, async (ending) => {
    while (!ending.aborted && !shares.isFull()) {
      const { busy, used } = shares.now()
      const row = await lease(leaseSeconds, busy, used)
      if (row === undefined) return
      const leave = shares.take(owner(row), host(row))
      const one = work(row, ending).finally(() => {
        running.delete(one)
        leave()
        wake()
      })
      running.add(one)
    }
  })
  return {
    /** Looks at once for what is due. */
    wake,
    /** Stops, and waits for those under way to notice. */
    async stop(): Promise<void> {
      await stop()
      await Promise.all(running)
    },
  }
}
