import type { Rules } from '../xapi/dialect.ts'
import type { Key } from '../xapi/identify.ts'
import type { Scope } from '../store/cell/credentials.ts'
import type { Credentialed } from '../store/cell/write-statements.ts'

/** An authenticated caller: a game with its credential, or with a launch token for one learner. */
export interface Caller extends Credentialed {
  /** The credential's key. */
  readonly key: string
  readonly gameId: string
  /** The studio of the game, or of the sandbox's game; undefined: the game has none. */
  readonly studio?: number
  /** JSON of the Agent that is the authority of the statements that it stores. */
  readonly authority: string
  readonly scopes: readonly Scope[]
  /** The rules of the xAPI version of the request. */
  readonly rules: Rules
  /** With a launch token: the learner whose session it is. */
  readonly learner?: Learner
  /** Number of the build, with the launch token of a session; undefined: not known. */
  readonly build?: number
  /** UUID of the sandbox, if the caller is one. A sandbox has profiles and definitions of its own. */
  readonly sandbox?: string
  /** UUID of the sandbox session that the launch token was minted for: the studio watches it. */
  readonly watched?: string
}

/** Names who calls, however the credential came: the credential, with a launch token the learner. */
export const nameOf = ({ credential, learner }: Caller): string =>
  learner ? `${credential} ${learner.agent}` : String(credential)

export interface Learner {
  /** JSON of the Agent. */
  readonly actor: string
  readonly agent: Key
  /** UUID. */
  readonly registration: string
  /** Keyed hash of the network that started the session; undefined: a studio or an admin started it. */
  readonly network?: string
}

/** The credential has changed since the caller was authenticated. The call authenticates and runs once more. */
export class StaleCaller extends Error {
  override name = 'StaleCaller'
}

/** Returns what the store found. @throws StaleCaller when the store says that the credential has changed */
export function throwIfStale<T>(found: T | 'stale'): T {
  if (found === 'stale') throw new StaleCaller('the credential has changed')
  return found
}
