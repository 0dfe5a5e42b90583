import type { Rules } from '../xapi/dialect.ts'
import type { Key } from '../xapi/identify.ts'
import type { Scope } from '../store/credentials.ts'
import type { Credentialed } from '../store/write-statements.ts'

/** Whoever made an authenticated call: a game by its credential, in the player on behalf of one learner. */
export interface Caller extends Credentialed {
  /** The credential's key. */
  readonly key: string
  readonly gameId: string
  /** The studio of the game, or of the sandbox's game; undefined: the game has none. */
  readonly studio?: number
  /** JSON of the Agent that stands as authority on what it stores. */
  readonly authority: string
  readonly scopes: readonly Scope[]
  /** The rules of the xAPI version that it asked for. */
  readonly rules: Rules
  /** With a launch token: the learner whose session it is. */
  readonly learner?: Learner
  /** Of a sandbox: its own UUID as a tenant. What games share, a sandbox has for itself. */
  readonly sandbox?: string
  /** UUID of the sandbox session that the launch token was minted for: the studio watches it. */
  readonly watched?: string
}

export interface Learner {
  /** JSON of the Agent. */
  readonly actor: string
  readonly agent: Key
  /** UUID. */
  readonly registration: string
  /** Keyed hash of the network that started the session; undefined: a studio or an admin started it. */
  readonly network?: string
}

/** The credential has changed since the caller was authenticated: authenticate and run once more. */
export class StaleCaller extends Error {
  override name = 'StaleCaller'
}

/** Passes on what the store found, unless it says that the credential has changed. */
export function throwIfStale<T>(found: T | 'stale'): T {
  if (found === 'stale') throw new StaleCaller('the credential has changed')
  return found
}
