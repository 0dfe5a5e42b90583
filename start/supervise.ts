import type { Exit, Run } from './run.ts'

const firstDelayMs = 250
const longestDelayMs = 10_000
/** Ends of a part within a minute that was ready each time: after more of them it starts with a pause. */
const endsAtOnce = 5
const pauseMs = 2_000
const minuteMs = 60_000
/** Ends of a part that was never ready after which it is given up. */
const attempts = 5

export interface Supervised {
  /** Settles when the part is ready for the first time; rejects with one line when it is given up. */
  ready: Promise<void>
  stop(): Promise<void>
  kill(): void
}

/**
 * How many milliseconds a part that has ended waits for its next start: none if it was ready before, or a pause if that
 * happens often; longer each time that it ends before it is ready.
 */
export function backOff(now: () => number = () => performance.now()): (wasReady: boolean) => number {
  let failed = 0
  let ends: number[] = []
  return (wasReady) => {
    const time = now()
    ends = [...ends.filter((end) => end > time - minuteMs), time]
    failed = wasReady ? 0 : failed + 1
    if (failed > 0) return Math.min(firstDelayMs * 2 ** (failed - 1), longestDelayMs)
    return ends.length > endsAtOnce ? pauseMs : 0
  }
}

/** Keeps a part running: restarts it whenever it ends. `say` gets a line for people. */
export function supervise(start: () => Run | Promise<Run>, say: (line: string) => void): Supervised {
  let run: Run | undefined
  let stopping = false
  let wake = (): void => {}
  let resolveReady: () => void
  let rejectReady: (error: Error) => void
  const ready = new Promise<void>((done, failed) => ([resolveReady, rejectReady] = [done, failed]))
  ready.catch(() => {})

  const live = async (wasReady: () => void): Promise<Exit> => {
    try {
      run = await start()
    } catch (error) {
      return { how: (error as Error).message, lasting: (error as { lasting?: boolean }).lasting ?? false }
    }
    if (stopping) void run.stop()
    void run.ready.then(wasReady)
    return run.exited
  }

  const keep = async (): Promise<void> => {
    let everReady = false
    const delayAfter = backOff()
    for (let lives = 1; ; lives++) {
      const began = performance.now()
      let wasReady = false
      const exit = await live(() => {
        wasReady = true
        if (everReady && !stopping) say(`ready again after ${Math.round(performance.now() - began)} ms`)
        everReady = true
        resolveReady()
      })
      run = undefined
      if (stopping) return
      if (!everReady && (exit.lasting || lives >= attempts)) return rejectReady(new Error(exit.how))
      const delayMs = delayAfter(wasReady)
      say(`${exit.how}; starting it again${delayMs > 0 ? ` in ${delayMs} ms` : ''}`)
      await new Promise<void>((done) => {
        wake = done
        setTimeout(done, delayMs)
      })
      if (stopping) return
    }
  }

  const kept = keep()
  return {
    ready,
    async stop() {
      stopping = true
      wake()
      await run?.stop()
      await kept
    },
    kill() {
      stopping = true
      run?.kill()
    },
  }
}
