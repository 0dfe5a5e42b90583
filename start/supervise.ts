import type { Exit, Run } from './run.ts'

const firstDelayMs = 250
const longestDelayMs = 10_000
/** A part that ran this long was healthy: after it, delays start from the first one again. */
const healthyMs = 30_000
/** Ends of a part that was never ready after which it is given up. */
const attempts = 5

export interface Supervised {
  /** Settles when the part is ready for the first time; rejects with one line when it is given up. */
  ready: Promise<void>
  stop(): Promise<void>
  kill(): void
}

/** Keeps a part running: restarts it after a growing delay whenever it ends. `say` gets a line for people. */
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
    for (let delayMs = firstDelayMs, lives = 1; ; lives++) {
      const began = performance.now()
      const exit = await live(() => {
        if (everReady && !stopping) say(`ready again after ${Math.round(performance.now() - began)} ms`)
        everReady = true
        resolveReady()
      })
      run = undefined
      if (stopping) return
      if (!everReady && (exit.lasting || lives >= attempts)) return rejectReady(new Error(exit.how))
      if (performance.now() - began > healthyMs) delayMs = firstDelayMs
      say(`${exit.how}; starting it again in ${delayMs} ms`)
      await new Promise<void>((done) => {
        wake = done
        setTimeout(done, delayMs)
      })
      if (stopping) return
      delayMs = Math.min(delayMs * 2, longestDelayMs)
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
