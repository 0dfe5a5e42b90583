import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusal } from '../http/failure.ts'

/** All refusals share one object: under load there are many. */
export const overloaded = refusal(
  Reason.UNAVAILABLE,
  'The store is overloaded; try again, and wait longer after each attempt',
)

export interface Admission {
  /** Checks for room before any work is done, such as reading the body. @throws HttpRefusal `overloaded` */
  expectRoom(caller: string): void
  /** Does the work as soon as there is room for it. @throws HttpRefusal `overloaded` */
  take<T>(caller: string, work: () => Promise<T> | T): Promise<T>
}

/** A request that took longer than this lowers the limit to the number of requests that succeed in one window. */
const slowMs = 500
const windowMs = 250
/** A request that took less than this raises the limit by `limitStep`. */
const quickMs = 250
const limitStep = 0.25
const minLimit = 32
const firstLimit = 128
const maxLimit = 1024
/** A caller below its share is admitted beyond the limit, up to this multiple of it. */
const reserveFactor = 1.25
/** Bounds of the number of waiting requests and of their wait: a school class that starts at once is not refused. */
const maxWaiting = 512
const maxWaitMs = 500
/**
 * For this long after a slow request or a wait in vain, no more requests may wait than succeed in one window, but at
 * least `minWaiting` may: more would be refused after their wait.
 */
const strainMs = 5000
const minWaiting = 64
/** Milliseconds between two reports of the number of refused requests. */
const reportMs = 10_000

/**
 * Limits how many requests of one kind are in core at a time: admitted requests get their answer in about 250 ms, all
 * others are refused at once. The limit follows the time that core takes, because that depends on the requests and the
 * machine. A crowd that comes at once waits up to 500 ms; in a flood, only as many wait as will be admitted.
 * @param report gets the number of requests refused since the last report
 */
export function createAdmission(report: (refused: number) => void): Admission {
  const now = () => performance.now()
  const openByCaller = new Map<string, number>()
  const waiting = new Set<() => void>()
  let open = 0
  let limit = firstLimit
  let strainedUntil = -Infinity
  let windowStart = now()
  // requests that succeeded in this window and in the one before
  let done = 0
  let doneBefore = 0
  let refused = 0
  let reported = -Infinity

  function isAdmitted(caller: string): boolean {
    if (open < limit && waiting.size === 0) return true
    const share = limit / (openByCaller.size + (openByCaller.has(caller) ? 0 : 1))
    return open < limit * reserveFactor && (openByCaller.get(caller) ?? 0) + 1 <= share
  }

  const mayWait = (): boolean =>
    waiting.size < (now() < strainedUntil ? Math.max(minWaiting, done, doneBefore) : maxWaiting)

  function refuse(): typeof overloaded {
    refused++
    if (now() - reported >= reportMs) {
      report(refused)
      reported = now()
      refused = 0
    }
    return overloaded
  }

  /** Resolves when the request is admitted. */
  function wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer)
        waiting.delete(begin)
        open++
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(begin)
        strainedUntil = now() + strainMs
        reject(refuse())
      }, maxWaitMs)
      waiting.add(begin)
    })
  }

  /** Adapts the limit to a request that ended. @param others requests that were open when it began */
  function adapt(began: number, others: number, succeeded: boolean): void {
    const time = now()
    if (time - windowStart >= windowMs) {
      doneBefore = time - windowStart < 2 * windowMs ? done : 0
      done = 0
      windowStart = time
    }
    if (succeeded) done++
    const took = time - began
    if (took > slowMs && others >= minLimit) {
      limit = Math.max(minLimit, done, doneBefore)
      strainedUntil = time + strainMs
    } else if (took < quickMs && succeeded && others > limit / 2) limit = Math.min(maxLimit, limit + limitStep)
  }

  return {
    expectRoom(caller) {
      if (!isAdmitted(caller) && !mayWait()) throw refuse()
    },
    async take(caller, work) {
      if (isAdmitted(caller)) open++
      else if (mayWait()) await wait()
      else throw refuse()
      const began = now()
      const others = open - 1
      openByCaller.set(caller, (openByCaller.get(caller) ?? 0) + 1)
      let succeeded = false
      try {
        const result = await work()
        succeeded = true
        return result
      } finally {
        open--
        const left = openByCaller.get(caller)! - 1
        if (left > 0) openByCaller.set(caller, left)
        else openByCaller.delete(caller)
        adapt(began, others, succeeded)
        for (const begin of waiting) {
          if (open >= limit) break
          begin()
        }
      }
    },
  }
}
