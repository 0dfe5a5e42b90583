import { randomUUID } from 'node:crypto'
import { lti as limits } from '../../../shared/limits.ts'
import { say } from '../../../shared/say.ts'
import type { Outgoing } from '../../process/outgoing/outgoing.ts'
import { Refusal } from '../../process/refusal.ts'
import { members, text, type Claims } from '../rules/lti-claims.ts'
import { signed } from './lti-keys.ts'

/** Which services of a platform are called, and how. */
export interface PlatformAccess {
  readonly platform: { readonly platformId: string; readonly clientId: string; readonly tokenUrl: string }
  readonly scopes: readonly string[]
  /** The key with which we sign. */
  readonly key: () => Promise<{ readonly kid: string; readonly privateKey: string }>
  readonly guardedFetch: Outgoing['guardedFetch']
}

type Request = Parameters<Outgoing['guardedFetch']>[0]
type Answer = Awaited<ReturnType<Outgoing['guardedFetch']>>
interface Kept {
  readonly token: string
  /** Seconds since 1970. */
  readonly until: number
}

const seconds = (): number => Math.floor(Date.now() / 1000)

/** Access tokens of platforms (Security Framework 4.1), kept for each platform and its scopes until shortly before they end. */
export function ltiTokens(now: () => number = seconds) {
  const kept = new Map<string, Promise<Kept>>()

  async function fetched({ platform, scopes, key, guardedFetch }: PlatformAccess): Promise<Kept> {
    const { clientId, tokenUrl } = platform
    const host = URL.parse(tokenUrl)?.host ?? ''
    const at = now()
    const claims = { iss: clientId, sub: clientId, aud: tokenUrl, iat: at, exp: at + 60, jti: randomUUID() }
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await signed(claims, await key()),
      scope: scopes.join(' '),
    }).toString()
    const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' }
    const { status, body: bytes } = await guardedFetch({ url: tokenUrl, method: 'POST', headers, body })
    const answer = objectIn(bytes)
    const token = text(answer['access_token'], limits.accessTokenCharacters)
    if (status !== 200 || !/^[\x21-\x7e]+$/.test(token)) {
      const why = /^[a-z_]{1,50}$/.exec(text(answer['error']))?.[0] ?? 'no token'
      throw new Refusal('conflict', say`${host} gives no access to its courses: ${String(status)}, ${why}.`)
    }
    const lasts = Math.min(Number(answer['expires_in']) || 0, limits.accessTokenSeconds)
    return { token, until: at + lasts - limits.skewSeconds }
  }

  /** @param refused a token that the platform no longer takes */
  async function tokenOf(access: PlatformAccess, refused = ''): Promise<string> {
    const { platformId, clientId, tokenUrl } = access.platform
    const name = JSON.stringify([platformId, clientId, tokenUrl, access.scopes.toSorted()])
    const there = await kept.get(name)?.catch(() => undefined)
    if (there && there.until > now() && there.token !== refused) return there.token
    const fresh = fetched(access)
    kept.set(name, fresh)
    if (kept.size > limits.accessTokens) kept.delete(kept.keys().next().value!)
    return (await fresh).token
  }

  return {
    /** A request to a service of the platform. A token that it no longer takes is renewed once. @throws OutgoingError, Refusal */
    async call(access: PlatformAccess, request: Request): Promise<Answer> {
      const send = (token: string) =>
        access.guardedFetch({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } })
      const token = await tokenOf(access)
      const answer = await send(token)
      return answer.status === 401 ? send(await tokenOf(access, token)) : answer
    },
  }
}

export type LtiTokens = ReturnType<typeof ltiTokens>

/** JSON from outside as an object; else one without members. */
export function objectIn(bytes: Uint8Array): Claims {
  try {
    return members(JSON.parse(Buffer.from(bytes).toString()))
  } catch {
    return {}
  }
}
