import { Reason } from '../gen/lrs/v1/failure_pb.js'
import { refusal } from './failure.ts'

/** What is told to whom is not let in: always this one, since many are refused when there is much to do. */
export const overloaded = refusal(Reason.UNAVAILABLE, 'The store is asked for more than it can do; try again, later each time')

export interface Admission {
  /** Before anything is done for the caller, its body read for example. @throws Refusal `overloaded` */
  expectRoom(caller: string): void
  /** Does the work if there is room for it. @throws Refusal `overloaded` */
  take<T>(caller: string, work: () => Promise<T> | T): Promise<T>
}

/** Milliseconds: when one took longer than the first, as many are let in as were done in the second; while they take less than the third, more. */
const slowMs = 1000
const windowMs = 500
const quickMs = 500
/** So few are let in at a time however slow they are, so many before anything is known (a class that starts at once is no flood), and so many however quick they are. */
const least = 64
const first = 512
const most = 1024
/** How often it is told how many were refused. */
const tellMs = 10_000
/** By how much more are let in for each that was quick. */
const growth = 0.25
/** Who has less than its share comes in beyond the limit, up to here. */
const reserve = 1.25

/**
 * Bounds how many requests of one kind are under way in core, so that those which are let in have their answer in about
 * half a second, and all others are refused at once. The bound follows what core does: how many that is depends on what
 * they hold and on the machine.
 */
export function createAdmission(tell: (refused: number) => void, now: () => number = () => performance.now()): Admission {
  const own = new Map<string, number>()
  let open = 0
  let limit = first
  // in this window, and in the one before
  let since = now()
  let done = 0
  let doneBefore = 0
  let refused = 0
  let told = -Infinity

  function expectRoom(caller: string): void {
    if (open < limit) return
    const share = limit / (own.size + (own.has(caller) ? 0 : 1))
    if (open >= limit * reserve || (own.get(caller) ?? 0) + 1 > share) refuse()
  }

  function refuse(): never {
    refused++
    if (now() - told >= tellMs) {
      tell(refused)
      told = now()
      refused = 0
    }
    throw overloaded
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
    if (took > slowMs && beside >= least) limit = Math.max(least, done, doneBefore)
    else if (took < quickMs && succeeded && beside > limit / 2) limit = Math.min(most, limit + growth)
  }

  return {
    expectRoom,
    async take(caller, work) {
      expectRoom(caller)
      const began = now()
      const beside = open++
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
      }
    },
  }
}
