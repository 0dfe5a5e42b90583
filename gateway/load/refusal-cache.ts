import { hash } from 'node:crypto'
import type { Failure } from '../../gen/lrs/v1/failure_pb.js'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusalOf, type Refusal } from '../http/failure.ts'

/** Whose request it is, and in which limit it counts: those that say the same count in the same. */
export interface RefusalKey {
  authorization: string
  /** Method, path and agent; empty: nobody knows. */
  limitKey: string
}

/** Refusals that core said it would repeat, so that it need not be asked; for one core, which counts for itself. */
export interface RefusalCache {
  /** Why it would be refused; that counts as one refused request. */
  find(key: RefusalKey): Refusal | undefined
  /** Until this time what is like it is refused. */
  keep(key: RefusalKey, failure: Failure, until: number): void
  /** What core has not heard of: requests over their limit, by whom, and how many. */
  takeUnreported(): { key: RefusalKey; failure: Failure; times: number }[]
}

interface Held {
  key: RefusalKey
  failure: Failure
  /** The same for all whom it refuses: to make one takes longer than to find it. */
  refusal: Refusal
  until: number
  unreported: number
}

/** Bounds of the memory; what is beyond is asked of core. */
const maxHeld = 1000
const maxLength = 2000
/** Core looks up as many at a time, and as many more. */
const maxTold = 8

export function refusalCache(now = (): number => performance.now()): RefusalCache {
  const all = new Map<string, Held>()

  function at(id: string): Held | undefined {
    const held = all.get(id)
    return held !== undefined && held.until > now() ? held : undefined
  }

  return {
    find({ authorization, limitKey }) {
      if (all.size === 0) return undefined
      const caller = digest(authorization)
      const held = at(caller) ?? at(`${caller} ${limitKey}`)
      if (held?.failure.reason === Reason.RATE_LIMITED) held.unreported++
      return held?.refusal
    },
    keep({ authorization, limitKey }, failure, until) {
      const isLimit = failure.reason === Reason.RATE_LIMITED
      if (isLimit ? limitKey === '' || limitKey.length + authorization.length > maxLength : failure.reason !== Reason.UNAUTHENTICATED) return
      const caller = digest(authorization)
      const id = isLimit ? `${caller} ${limitKey}` : caller
      const before = all.get(id)
      if (before === undefined && all.size >= maxHeld) return
      // a secret that is wrong is kept as its hash alone
      const kept = isLimit ? { authorization, limitKey } : { authorization: '', limitKey: '' }
      all.set(id, { key: kept, failure, refusal: refusalOf(failure), until, unreported: before?.unreported ?? 0 })
    },
    takeUnreported() {
      const unreported = []
      const time = now()
      for (const [id, held] of all) {
        if (held.unreported > 0 && unreported.length < maxTold) {
          unreported.push({ key: held.key, failure: held.failure, times: held.unreported })
          held.unreported = 0
        }
        if (held.unreported === 0 && held.until <= time) all.delete(id)
      }
      return unreported
    },
  }
}

const digest = (authorization: string): string => hash('sha256', authorization, 'base64')
