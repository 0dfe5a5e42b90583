import { hash } from 'node:crypto'
import type { Failure } from '../../gen/lrs/v1/failure_pb.js'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusalOf, type HttpRefusal } from '../http/failure.ts'

/** Requests with equal keys count in the same rate limit. */
export interface RefusalKey {
  authorization: string
  /** Method, path and agent; empty: unknown. */
  limitKey: string
}

/** What the gateway remembers of callers from the answers of core. This is its only memory of callers. */
export interface Callers {
  /** The name that core has given to the caller; '' if it has not accepted this Authorization. */
  nameOf(authorization: string): string
  accept(authorization: string, name: string): void
  /** Core accepts it no longer: a token has expired, or a credential was revoked. */
  forget(authorization: string): void
  /** Refusals of one core: each counts its own limits, and one that restarts begins at zero. */
  ofCore(): Refusals
}

/** Refusals that hold for a while, so that the gateway repeats them without asking. */
export interface Refusals {
  /** The refusal that holds for such a request; counts it as refused. */
  find(key: RefusalKey): HttpRefusal | undefined
  /** Refuses requests with this key until this time. */
  keep(key: RefusalKey, failure: Failure, until: number): void
  /** Refused requests that were not reported to core: number by key. */
  takeUnreported(): { key: RefusalKey; failure: Failure; times: number }[]
}

interface Entry {
  key: RefusalKey
  failure: Failure
  /** One object for all requests that it refuses: creating it takes longer than finding it. */
  refusal: HttpRefusal
  until: number
  unreported: number
}

/** Bounds of the memory. Core is asked about everything beyond them. */
const maxAccepted = 10_000
const maxRefusals = 1000
const maxKeyLength = 2000
/** Reports at a time. Core authenticates the caller of each, at most 16 at a time, and drops the rest. */
const maxReported = 8

/**
 * Where callers share room, each caller whom core has accepted has a share of its own by the name that core gave it,
 * and all others have one together. Otherwise somebody who invents a credential for each request, or has many tokens of
 * one learner, would get many shares.
 */
export function createCallers(now = (): number => performance.now()): Callers {
  /** Names by the hash of the Authorization; the one that was used last comes last. */
  const names = new Map<string, string>()

  function ofCore(): Refusals {
    const all = new Map<string, Entry>()

    function validEntry(id: string): Entry | undefined {
      const entry = all.get(id)
      return entry !== undefined && entry.until > now() ? entry : undefined
    }

    return {
      find({ authorization, limitKey }) {
        if (all.size === 0) return undefined
        const caller = digest(authorization)
        const entry = validEntry(caller) ?? validEntry(`${caller} ${limitKey}`)
        if (entry?.failure.reason === Reason.RATE_LIMITED) entry.unreported++
        return entry?.refusal
      },
      keep({ authorization, limitKey }, failure, until) {
        const isLimit = failure.reason === Reason.RATE_LIMITED
        if (
          isLimit
            ? limitKey === '' || limitKey.length + authorization.length > maxKeyLength
            : failure.reason !== Reason.UNAUTHENTICATED
        )
          return
        const caller = digest(authorization)
        const id = isLimit ? `${caller} ${limitKey}` : caller
        const before = all.get(id)
        if (before === undefined && all.size >= maxRefusals) return
        // of a wrong secret only the hash is kept
        const kept = isLimit ? { authorization, limitKey } : { authorization: '', limitKey: '' }
        all.set(id, { key: kept, failure, refusal: refusalOf(failure), until, unreported: before?.unreported ?? 0 })
      },
      takeUnreported() {
        const unreported = []
        const time = now()
        for (const [id, entry] of all) {
          if (entry.unreported > 0 && unreported.length < maxReported) {
            unreported.push({ key: entry.key, failure: entry.failure, times: entry.unreported })
            entry.unreported = 0
          }
          if (entry.unreported === 0 && entry.until <= time) all.delete(id)
        }
        return unreported
      },
    }
  }

  return {
    nameOf(authorization) {
      const caller = digest(authorization)
      const name = names.get(caller)
      if (name === undefined) return ''
      names.delete(caller)
      names.set(caller, name)
      return name
    },
    accept(authorization, name) {
      if (names.size >= maxAccepted) names.delete(names.keys().next().value!)
      names.set(digest(authorization), name)
    },
    forget: (authorization) => void names.delete(digest(authorization)),
    ofCore,
  }
}

const digest = (authorization: string): string => hash('sha256', authorization, 'base64')
