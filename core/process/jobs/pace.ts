import { cpus } from 'node:os'
import { setTimeout } from 'node:timers/promises'

/** Milliseconds of processors since the start of the machine. */
export interface ProcessorTimes {
  readonly idle: number
  readonly all: number
}

function processorTimes(): ProcessorTimes {
  const sum = { idle: 0, all: 0 }
  for (const { times } of cpus()) {
    sum.idle += times.idle
    for (const time of Object.values(times)) sum.all += time
  }
  return sum
}

/**
 * Rests in parts of the time that was worked: while processors are idle; while others need them, too, and there is hope
 * to get done; and when there is none.
 */
const [short, equal, long] = [0.05, 1, 9]
/** Milliseconds of processors that are looked at before a rest becomes longer or shorter. */
const looked = 400
/** Share of idle time below which the processors are full. */
const full = 0.1
/** Milliseconds of work without an end after which there is none. */
const hope = 3_000

/**
 * Rests between steps of work that may never end under load. While the processors are full in its rests, it takes half
 * of the time; when it did not get done in three seconds of that, a tenth, so that others lose little.
 */
export function paceOf(times = processorTimes, wait: (ms: number) => Promise<unknown> = setTimeout, now = Date.now) {
  let part = short
  let since = now()
  let seen = { idle: 0, all: 0 }
  return {
    /** All is done for now. */
    reached(): void {
      since = now()
    },
    async rest(worked: number): Promise<void> {
      const before = times()
      await wait(Math.max(5, worked * part))
      const { idle, all } = times()
      seen = { idle: seen.idle + idle - before.idle, all: seen.all + all - before.all }
      if (seen.all < looked) return
      const isFull = seen.idle < seen.all * full
      seen = { idle: 0, all: 0 }
      const longest = now() - since > hope ? long : equal
      part = isFull ? Math.min(longest, part * 3) : Math.max(short, part / 3)
    },
  }
}

export type Pace = ReturnType<typeof paceOf>
