import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusal } from '../http/failure.ts'

/** What is told to whom is not let in: always this one, since many are refused when there is much to do. */
export const overloaded = refusal(Reason.UNAVAILABLE, 'The store is asked for more than it can do; try again, later each time')

export interface Admission {
  /** Before anything is done for the caller, its body read for example. @throws Refusal `overloaded` */
  expectRoom(caller: string): void
  /** Does the work when there is room for it, which may be in a moment. @throws Refusal `overloaded` */
  take<T>(caller: string, work: () => Promise<T> | T): Promise<T>
}

/** Milliseconds: when one took longer than the first, as many are let in as were done in the second; while they take less than the third, more. */
const slowMs = 500
const windowMs = 250
const quickMs = 250
/** So few are let in at a time however slow they are, so many before anything is known, and so many however quick they are. */
const least = 32
const first = 128
const most = 1024
/** By how much more are let in for each that was quick. */
const growth = 0.25
/** Who has less than its share comes in beyond the limit, up to here. */
const reserve = 1.25
/** So many may wait for room, and so many milliseconds: a class that starts at once is no flood. */
const crowd = 512
const patienceMs = 500
/** For so long after one was slow, or waited in vain, only so many may wait as are done in a window, or these few: others would be refused in the end. */
const strainMs = 5000
const fewest = 64
/** How often it is told how many were refused. */
const tellMs = 10_000

/**
 * Bounds how many requests of one kind are under way in core, so that those which are let in have their answer in about a
 * quarter of a second, and all others are refused at once. The bound follows what core does: how many that is depends on
 * what they hold and on the machine. A crowd that comes at once waits a moment; of a flood only as
 * many do as will be let in.
 */
export function createAdmission(tell: (refused: number) => void): Admission {
  const now = () => performance.now()
  const own = new Map<string, number>()
  const waiting = new Set<() => void>()
  let open = 0
  let limit = first
  let strainedUntil = -Infinity
  // in this window, and in the one before
  let since = now()
  let done = 0
  let doneBefore = 0
  let refused = 0
  let told = -Infinity

  function isLetIn(caller: string): boolean {
    if (open < limit && waiting.size === 0) return true
    const share = limit / (own.size + (own.has(caller) ? 0 : 1))
    return open < limit * reserve && (own.get(caller) ?? 0) + 1 <= share
  }

  const mayWait = (): boolean => waiting.size < (now() < strainedUntil ? Math.max(fewest, done, doneBefore) : crowd)

  function refuse(): typeof overloaded {
    refused++
    if (now() - told >= tellMs) {
      tell(refused)
      told = now()
      refused = 0
    }
    return overloaded
  }

  /** Resolves when it is let in. */
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
      }, patienceMs)
      waiting.add(begin)
    })
  }

  /** From one that had so many beside it. */
  function learn(began: number, beside: number, succeeded: boolean): void {
    const time = now()
    if (time - since >= windowMs) {
      doneBefore = time - since < 2 * windowMs ? done : 0
      done = 0
      since = time
    }
    if (succeeded) done++
    const took = time - began
    if (took > slowMs && beside >= least) {
      limit = Math.max(least, done, doneBefore)
      strainedUntil = time + strainMs
    } else if (took < quickMs && succeeded && beside > limit / 2) limit = Math.min(most, limit + growth)
  }

  return {
    expectRoom(caller) {
      if (!isLetIn(caller) && !mayWait()) throw refuse()
    },
    async take(caller, work) {
      if (isLetIn(caller)) open++
      else if (mayWait()) await wait()
      else throw refuse()
      const began = now()
      const beside = open - 1
      own.set(caller, (own.get(caller) ?? 0) + 1)
      let succeeded = false
      try {
        const result = await work()
        succeeded = true
        return result
      } finally {
        open--
        const left = own.get(caller)! - 1
        if (left > 0) own.set(caller, left)
        else own.delete(caller)
        learn(began, beside, succeeded)
        for (const begin of waiting) {
          if (open >= limit) break
          begin()
        }
      }
    },
  }
}
