import { hash } from 'node:crypto'
import { readAuthorization } from '../../../shared/headers.ts'
import type { Role } from '../../../shared/settings/own-kinds.ts'
import type { Config } from '../../process/config/config.ts'
import { hashSecret, isSecret } from '../../process/secret.ts'
import type { LaunchTokens } from '../../games/access/launch-tokens.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Credential, Scope } from '../store/cell/credentials.ts'
import type { Store } from '../../store.ts'
import type { Rules } from '../xapi/dialect.ts'
import { unknownKeys } from './unknown-keys.ts'
import { noGame } from './no-game.ts'
import type { Key } from '../xapi/identify.ts'
import type { Credentialed } from '../store/cell/write-statements.ts'
import type { Reader } from '../store/cell/page-parameters.ts'
import { ours } from '../../../shared/say.ts'

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
  /** UUID of the game that the sandbox tries. */
  readonly tried?: string
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

/** Which statements a caller sees: a launch token those of its learner, a game its own, wider scopes all. */
export function readerOf(caller: Caller): Reader {
  const everything =
    !caller.learner &&
    ['statements/read', 'all/read', 'all'].some((scope) => (caller.scopes as string[]).includes(scope))
  return { ...caller, actor: caller.learner?.agent, everything }
}

/** Services that may call core, by the hash of their token, so the time of a lookup reveals nothing about a token. */
export function serviceAccounts(tokens: Config['serviceTokens']) {
  const digest = (token: string) => hash('sha256', token, 'hex')
  const accounts = new Map(tokens.map(({ role, token }) => [digest(token), role]))
  return {
    /** The role of the service with this Authorization header; undefined: no service token. */
    roleOf: (authorization: string): Role | undefined => {
      const token = /^bearer ([^ ]+)$/i.exec(authorization)?.[1]
      return token === undefined ? undefined : accounts.get(digest(token))
    },
  }
}

export type ServiceAccounts = ReturnType<typeof serviceAccounts>

const remembered = 10_000
const noSecret = hashSecret('')
/** Milliseconds for which a gateway may refuse a wrong secret, or an ended session, without asking. */
const wrongMs = 1000

/**
 * Authenticates callers. It caches credentials with their version. Every query and command checks that version, and
 * the session of a launch token, again in its own transaction. So the cache saves a round trip, and an old secret or an
 * ended session never reaches data.
 * @param factor of request limits; 0: none
 */
export function authenticator(
  { credentials, endedSessions }: Pick<Store, 'credentials' | 'endedSessions'>,
  tokens: LaunchTokens,
  factor = 0,
) {
  const known = new Map<string, Credential>()
  const unknown = unknownKeys(factor)

  async function load(key: string): Promise<Credential | undefined> {
    // Postgres cannot store U+0000, so no key has one
    const credential = await credentials.find(key.replaceAll('\0', '\ufffd'))
    known.delete(key)
    if (credential && !credential.revoked) {
      if (known.size >= remembered) known.delete(known.keys().next().value!)
      known.set(key, credential)
      return credential
    }
    return undefined
  }

  async function bySecret(key: string, secret: string, address: string | undefined): Promise<Credential> {
    const remembered = known.get(key)
    if (remembered && isSecret(secret, remembered.secretHash)) return remembered
    // an unknown key and a wrong secret run the same code and take the same time
    const found = await unknown.look(address, `${key}:${secret}`, async () => {
      const credential = await load(key)
      return isSecret(secret, credential?.secretHash ?? noSecret) ? credential : undefined
    })
    if (found) return found
    throw new Refusal('unauthenticated', 'The key or the secret is wrong.', { holds: wrongMs })
  }

  async function byToken(
    token: string,
  ): Promise<{ credential: Credential } & Pick<Caller, 'learner' | 'session' | 'watched' | 'build'>> {
    const { key, gameId, actor, agent, registration, sandbox, session, network, build } = await tokens.inspect(token)
    const credential = known.get(key) ?? (await load(key))
    if (!credential || credential.gameId !== gameId)
      throw new Refusal('unauthenticated', 'The launch token belongs to a credential that has ended.')
    const learner = { actor, registration, agent, network }
    return { credential, learner, session, watched: sandbox, build }
  }

  return {
    /**
     * The caller of a call with this Authorization header.
     * @param address of the one who calls; undefined: a gateway says that core has accepted this header before
     * @throws Refusal 'unauthenticated'; 'unavailable' when too many unknown keys come from there
     */
    async authenticate(authorization: string, rules: Rules, address?: string): Promise<Caller> {
      const named = readAuthorization(authorization)
      if ('fault' in named) throw new Refusal('unauthenticated', ours(named.fault))
      if (named.scheme === 'Basic') return callerOf(await bySecret(named.key, named.secret, address), rules)
      const { credential, ...session } = await byToken(named.token)
      return callerOf(credential, rules, session)
    },

    /** The caller on whose behalf a trusted service calls, by the key of a credential. */
    async onBehalf(key: string, rules: Rules): Promise<Caller> {
      const credential = known.get(key) ?? (await load(key))
      if (!credential)
        throw new Refusal('unauthenticated', 'x-lrs-credential names no credential that is in use.', {
          subject: 'credential',
        })
      return callerOf(credential, rules)
    },

    /** The caller for a studio that calls on behalf of its own game or sandbox. @throws Refusal 'not-found' */
    async ofStudio(studio: number, key: string, rules: Rules): Promise<Caller> {
      const credential = known.get(key) ?? (await load(key))
      if (credential?.studio !== studio) throw noGame()
      return callerOf(credential, rules)
    },

    /** Whether the credential is unchanged and the session has not ended. */
    isCurrent: (caller: Caller): Promise<boolean> => credentials.isCurrent(caller),

    /** Drops the caller's changed credential from the cache. @throws Refusal when its session has ended */
    async forget({ key, session }: Caller): Promise<void> {
      known.delete(key)
      if (session !== undefined && (await endedSessions.has(session)))
        throw new Refusal('unauthenticated', 'The session has ended.', { holds: wrongMs })
    },
  }
}

export type Authenticator = ReturnType<typeof authenticator>

function callerOf(
  credential: Credential,
  rules: Rules,
  session: Pick<Caller, 'learner' | 'session' | 'watched' | 'build'> = {},
): Caller {
  const { id, key, game, gameId, studio, authority, scopes, version, sandbox, tried, cell } = credential
  return {
    credential: id,
    credentialVersion: version,
    game,
    cell,
    gameId,
    studio: studio ?? undefined,
    key,
    authority,
    scopes,
    rules,
    sandbox: sandbox ? gameId : undefined,
    tried: tried ?? undefined,
    ...session,
  }
}
