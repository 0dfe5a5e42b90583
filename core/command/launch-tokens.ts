import { errors, jwtVerify, SignJWT } from 'jose'
import { Refusal } from '../refusal.ts'

/** What a launch token is bound to. */
export interface Launch {
  readonly gameId: string
  /** The credential's key. */
  readonly key: string
  /** JSON of the learner's Agent. */
  readonly actor: string
  readonly registration: string
  /** Seconds since 1970. */
  readonly expires: number
}

export const launchSeconds = 2 * 60 * 60
const audience = 'games-lrs:xapi'
const type = 'launch+jwt'
const remembered = 20_000

/**
 * Launch tokens: JWTs of a fixed algorithm, type and audience, valid for two hours.
 * @param signingKeys at least 32 bytes each: the first one signs, all verify, so that keys can be changed
 */
export function launchTokens(signingKeys: readonly Uint8Array[], now: () => number = Date.now) {
  // A verification costs 200 µs, and a session sends the same token again and again.
  const verified = new Map<string, Launch>()

  async function verify(token: string): Promise<Launch> {
    for (const key of signingKeys) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'], audience, typ: type, requiredClaims: ['exp', 'iat', 'game', 'key', 'actor', 'registration'],
          currentDate: new Date(now()),
        })
        const { game, key: credential, actor, registration, exp } = payload as Record<string, string> & { exp: number }
        if ([game, credential, actor, registration].some((claim) => typeof claim !== 'string')) throw new errors.JWTInvalid()
        return { gameId: game!, key: credential!, actor: actor!, registration: registration!, expires: exp }
      } catch (error) {
        if (error instanceof errors.JWSSignatureVerificationFailed) continue
        const why = error instanceof errors.JWTExpired ? 'The launch token has expired.' : 'The launch token is not valid.'
        throw new Refusal('unauthenticated', why)
      }
    }
    throw new Refusal('unauthenticated', 'The launch token is not valid.')
  }

  return {
    async mint(launch: Omit<Launch, 'expires'>): Promise<{ token: string; expires: number }> {
      const issued = Math.floor(now() / 1000)
      const expires = issued + launchSeconds
      const { gameId: game, key, actor, registration } = launch
      const token = await new SignJWT({ game, key, actor, registration })
        .setProtectedHeader({ alg: 'HS256', typ: type })
        .setAudience(audience)
        .setIssuedAt(issued)
        .setExpirationTime(expires)
        .sign(signingKeys[0]!)
      return { token, expires }
    },

    /** What the token is bound to. @throws Refusal 'unauthenticated' */
    async inspect(token: string): Promise<Launch> {
      const known = verified.get(token)
      const launch = known ?? (await verify(token))
      if (launch.expires <= now() / 1000) {
        verified.delete(token)
        throw new Refusal('unauthenticated', 'The launch token has expired.')
      }
      if (!known) {
        if (verified.size >= remembered) verified.delete(verified.keys().next().value!)
        verified.set(token, launch)
      }
      return launch
    },
  }
}

export type LaunchTokens = ReturnType<typeof launchTokens>
