import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isAway, Refusal } from '../refusal.ts'
import { spread } from './backoff.ts'

export interface Repeating {
  /** Milliseconds between two runs; spread, so that cores that start together do not go on together. */
  readonly everyMs: number
  /** What the log says when a run fails. */
  readonly failed: string
  readonly log: Pick<Logger, 'debug' | 'warn'>
}

/**
 * The loop of all work beside calls: runs `once` at intervals, and at once when it is woken.
 * @param once its signal aborts when the loop is stopped
 */
export function repeat({ everyMs, failed, log }: Repeating, once: (ending: AbortSignal) => Promise<unknown>) {
  const ending = new AbortController()
  let news = Promise.withResolvers<void>()
  const wake = (): void => news.resolve()

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      news = Promise.withResolvers()
      await once(ending.signal).catch((error: unknown) => {
        const isExpected = isAway(error) || (ending.signal.aborted && error instanceof Refusal)
        log[isExpected ? 'debug' : 'warn']({ err: error }, failed)
      })
      const pause = new AbortController()
      const elapsed = wait(spread(everyMs), undefined, { signal: pause.signal, ref: false })
      await Promise.race([elapsed.catch(() => undefined), news.promise])
      pause.abort()
    }
  }

  const ended = run()
  return {
    wake,
    /** Starts no further run, and waits for the one under way. */
    async stop(): Promise<void> {
      ending.abort()
      wake()
      await ended
    },
  }
}
