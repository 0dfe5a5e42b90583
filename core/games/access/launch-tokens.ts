import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { launchSeconds } from '../../../shared/limits.ts'
import { signedPath, type SignedPath } from '../../../shared/signed-path.ts'
import { Refusal } from '../../process/refusal.ts'
import { crowdOf } from '../../process/rules/network.ts'
import { rulesFor } from '../../records/xapi/dialect.ts'
import { ExpiredToken } from '../../records/access/expired-token.ts'
import type { Key } from '../../records/xapi/identify.ts'
import { agentParameter } from '../../records/xapi/parameters.ts'

/** The content of a launch token. */
export interface Launch {
  readonly gameId: string
  /** The credential's key. */
  readonly key: string
  /** JSON of the learner's Agent. */
  readonly actor: string
  readonly registration: string
  /** UUID of the sandbox session that it was minted for. */
  readonly sandbox?: string
  /** UUID; undefined: an older version made the token. */
  readonly session?: string
  /** Keyed hash of the network that started the session; sessions of a network share a request allowance. */
  readonly network?: string
  /** Number of the build; undefined: not known. */
  readonly build?: number
  /** Seconds since 1970. */
  readonly expires: number
}

/** A token that was verified. */
export type Verified = Launch & { readonly agent: Key }

const audience = 'games-lrs:xapi'
const type = 'launch+jwt'
const remembered = 20_000

/**
 * Launch tokens: JWTs of a fixed algorithm, type and audience, valid for `launchSeconds`.
 * @param signingKeys at least 32 bytes each: the first one signs, all verify, so that keys can be changed
 */
export function launchTokens(signingKeys: readonly Uint8Array[], now: () => number = Date.now) {
  // a verification takes 200 µs, and a session sends the same token with each request
  const verified = new Map<string, Verified>()

  /** Of signed paths (shared/signed-path.ts): the player gets these keys, and not those of the tokens. */
  const fileKeys = signingKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'games-lrs files', 32)))

  async function verify(token: string): Promise<Verified> {
    const key = signingKeys.find((one) => isSigned(token, one))
    if (key) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          audience,
          typ: type,
          requiredClaims: ['exp', 'iat', 'game', 'key', 'actor', 'registration'],
          currentDate: new Date(now()),
        })
        const {
          game,
          key: credential,
          actor,
          registration,
          sandbox,
          session,
          network,
          build,
          exp,
        } = payload as Record<string, string> & { build?: number; exp: number }
        if (
          [game, credential, actor, registration, sandbox ?? '', session ?? '', network ?? ''].some(
            (claim) => typeof claim !== 'string',
          ) ||
          ![build ?? 0, exp].every(Number.isSafeInteger)
        )
          throw new errors.JWTInvalid()
        return {
          gameId: game!,
          key: credential!,
          actor: actor!,
          agent: agentParameter(actor!, 'actor', rulesFor('1.0.3', 'games')).key,
          registration: registration!,
          sandbox,
          session,
          network,
          build,
          expires: exp,
        }
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw new ExpiredToken(error.payload['sandbox'] as string | undefined)
        throw new Refusal('unauthenticated', 'The launch token is not valid.')
      }
    }
    throw new Refusal('unauthenticated', 'The launch token is not valid: send it byte for byte as it was made.')
  }

  return {
    /** When a session that starts now ends: seconds since 1970. */
    endOfSession: (): number => Math.floor(now() / 1000) + launchSeconds,

    /** @param until seconds since 1970: the end of its session; the token never outlives it, nor two hours */
    async mint(launch: Omit<Launch, 'expires'>, until = Infinity): Promise<{ token: string; expires: number }> {
      const issued = Math.floor(now() / 1000)
      const expires = Math.min(until, issued + launchSeconds)
      if (expires <= issued) throw new Refusal('not-found', 'The session has ended.')
      const { gameId: game, key, actor, registration, sandbox, session, network, build } = launch
      const token = await new SignJWT({ game, key, actor, registration, sandbox, session, network, build })
        .setProtectedHeader({ alg: 'HS256', typ: type })
        .setAudience(audience)
        .setIssuedAt(issued)
        .setExpirationTime(expires)
        .sign(signingKeys[0]!)
      return { token, expires }
    },

    /** Verifies a token and returns its content. @throws Refusal 'unauthenticated' */
    async inspect(token: string): Promise<Verified> {
      const known = verified.get(token)
      const launch = known ?? (await verify(token))
      if (launch.expires <= now() / 1000) {
        verified.delete(token)
        throw new ExpiredToken(launch.sandbox)
      }
      if (!known) {
        if (verified.size >= remembered) verified.delete(verified.keys().next().value!)
        verified.set(token, launch)
      }
      return launch
    },

    /** Secrets that give access to the session's launch context. They are derived from the keys and stored nowhere. */
    secretsOf: (sessionId: string): string[] =>
      signingKeys.map((key) => createHmac('sha256', key).update(`session ${sessionId}`).digest('base64url')),

    fileKeys,

    /** Where the player serves the files of a build to this session. */
    filesOf: (of: SignedPath): string => signedPath(fileKeys[0]!, of),

    /** Keyed hash of the network of an address, so that a token does not reveal the address. */
    networkOf: (ip: string): string =>
      createHmac('sha256', signingKeys[0]!)
        .update(`network ${crowdOf(ip)}`)
        .digest('base64url')
        .slice(0, 22),
  }
}

/** Whether the token ends with its signature, byte for byte. It takes a fortieth of the time of the whole check. */
function isSigned(token: string, key: Uint8Array): boolean {
  const dot = token.lastIndexOf('.')
  const right = Buffer.from(
    createHmac('sha256', key)
      .update(token.slice(0, Math.max(0, dot)))
      .digest('base64url'),
  )
  const given = Buffer.from(token.slice(dot + 1))
  return given.length === right.length && timingSafeEqual(given, right)
}

export type LaunchTokens = ReturnType<typeof launchTokens>
