import { hash } from 'node:crypto'
import type { Failure } from '../../gen/lrs/v1/failure_pb.js'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusalOf, type Refusal } from '../http/failure.ts'

/** Whose request it is, and in which limit it counts: those that say the same count in the same. */
export interface Like {
  authorization: string
  /** Method, path and agent; empty: nobody knows. */
  counted: string
}

/** Refusals that core said it would repeat, so that it need not be asked; for one core, which counts for itself. */
export interface HeldRefusals {
  /** Why it would be refused; that counts as one refused request. */
  find(like: Like): Refusal | undefined
  /** Until this time what is like it is refused. */
  keep(like: Like, failure: Failure, until: number): void
  /** What core has not heard of: requests over their limit, by whom, and how many. */
  takeUntold(): { like: Like; failure: Failure; times: number }[]
}

interface Held {
  like: Like
  failure: Failure
  /** The same for all whom it refuses: to make one takes longer than to find it. */
  refusal: Refusal
  until: number
  untold: number
}

/** Bounds of the memory; what is beyond is asked of core. */
const maxHeld = 1000
const maxLength = 2000
/** Core looks up as many at a time, and as many more. */
const maxTold = 8

export function heldRefusals(now = (): number => performance.now()): HeldRefusals {
  const all = new Map<string, Held>()

  function at(key: string): Held | undefined {
    const held = all.get(key)
    return held !== undefined && held.until > now() ? held : undefined
  }

  return {
    find({ authorization, counted }) {
      if (all.size === 0) return undefined
      const caller = digest(authorization)
      const held = at(caller) ?? at(`${caller} ${counted}`)
      if (held?.failure.reason === Reason.RATE_LIMITED) held.untold++
      return held?.refusal
    },
    keep({ authorization, counted }, failure, until) {
      const isLimit = failure.reason === Reason.RATE_LIMITED
      if (isLimit ? counted === '' || counted.length + authorization.length > maxLength : failure.reason !== Reason.UNAUTHENTICATED) return
      const caller = digest(authorization)
      const key = isLimit ? `${caller} ${counted}` : caller
      const before = all.get(key)
      if (before === undefined && all.size >= maxHeld) return
      // a secret that is wrong is kept as its hash alone
      const kept = isLimit ? { authorization, counted } : { authorization: '', counted: '' }
      all.set(key, { like: kept, failure, refusal: refusalOf(failure), until, untold: before?.untold ?? 0 })
    },
    takeUntold() {
      const untold = []
      const time = now()
      for (const [key, held] of all) {
        if (held.untold > 0 && untold.length < maxTold) {
          untold.push({ like: held.like, failure: held.failure, times: held.untold })
          held.untold = 0
        }
        if (held.untold === 0 && held.until <= time) all.delete(key)
      }
      return untold
    },
  }
}

const digest = (authorization: string): string => hash('sha256', authorization, 'base64')
