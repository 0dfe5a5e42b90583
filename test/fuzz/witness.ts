import { readlinkSync } from 'node:fs'
import { hrtime } from 'node:process'
import { Worker } from 'node:worker_threads'

/** Milliseconds between two looks; how many are remembered: enough for two minutes. */
export const everyMs = 25
export const slots = 5_000

export interface Shared {
  /** Of the looks so far. */
  readonly count: Int32Array
  /** Of each look: when, by how much its echo was late, and for how long the tested thread has waited for a processor until then. */
  readonly samples: Float64Array
  /** Where Linux tells the last one. */
  readonly scheduling: string
}

export interface Witness {
  now(): number
  /** Milliseconds of this time for which not the product is to be blamed, but the machine. */
  stoodStill(from: number, to: number): number
  close(): Promise<void>
}

/**
 * Tells what is late because of what is tested from what is late because the machine did not run it. The loop of this thread says
 * nothing of that: what is tested runs on it too, and may hold it up. So a thread of its own asks a plain TCP echo again and again,
 * and looks for how long this one waited for a processor.
 */
export async function startWitness(): Promise<Witness> {
  const shared: Shared = {
    count: new Int32Array(new SharedArrayBuffer(4)),
    samples: new Float64Array(new SharedArrayBuffer(slots * 3 * 8)),
    scheduling: process.platform === 'linux' ? `/proc/${readlinkSync('/proc/thread-self')}/schedstat` : '',
  }
  const { count, samples } = shared
  const worker = new Worker(new URL('witness-thread.ts', import.meta.url), { workerData: shared })
  worker.unref()
  while (Atomics.load(count, 0) === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  return {
    now: () => Number(hrtime.bigint() / 1_000n) / 1_000,
    stoodStill(from, to) {
      const looks = Atomics.load(count, 0)
      let late = 0
      let waited: { first: number; last: number } | undefined
      for (let n = Math.max(0, looks - slots + 1); n < looks; n++) {
        const [at, echo, waitedSoFar] = samples.subarray((n % slots) * 3, (n % slots) * 3 + 3) as unknown as [
          number,
          number,
          number,
        ]
        if (at < from) waited = { first: waitedSoFar, last: waitedSoFar }
        else {
          // an echo that is late over the beginning is late by what lies within
          if (at - echo < to) late += Math.max(0, Math.min(echo, at - from, to - (at - echo)))
          waited = { first: waited?.first ?? waitedSoFar, last: waitedSoFar }
          if (at > to) break
        }
      }
      return Math.min(to - from, Math.max(late, waited ? waited.last - waited.first : 0))
    },
    close: async () => void (await worker.terminate()),
  }
}
