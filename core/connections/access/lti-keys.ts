import {
  compactVerify,
  createLocalJWKSet,
  decodeProtectedHeader,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  importPKCS8,
  SignJWT,
  type JSONWebKeySet,
} from 'jose'
import { randomUUID } from 'node:crypto'
import { lti as limits } from '../../../shared/limits.ts'
import type { Outgoing } from '../../process/outgoing/outgoing.ts'
import { members, shown, type Claims } from '../rules/lti-claims.ts'

/** The only algorithm that is accepted: LTI asks every platform for it. */
const algorithm = 'RS256'

/** A key pair with which we sign as a tool. */
export async function newKey(): Promise<{ kid: string; privateKey: string; publicKey: object }> {
  const kid = randomUUID()
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { modulusLength: 2048, extractable: true })
  const known = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' }
  return { kid, privateKey: await exportPKCS8(privateKey), publicKey: known }
}

export const signed = async (
  claims: Claims,
  { kid, privateKey }: { kid: string; privateKey: string },
): Promise<string> =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .sign(await importPKCS8(privateKey, algorithm))

export const sealedPlace = (kid: string) => ({ table: 'lti_key', column: 'private_key', row: kid })

/** Why the signature of a token is not accepted. */
export interface Unsigned {
  readonly claim: 'token' | 'alg' | 'kid' | 'keys' | 'signature'
  readonly came: string
  readonly expected: string
}

type KeysOf = (url: string, again: boolean) => Promise<JSONWebKeySet | string>

/** Verifies the signature of a token; its claims are not checked yet. @param keysOf the keys, or why there are none */
export async function verified(token: string, jwksUrl: string, keysOf: KeysOf): Promise<{ claims: Claims } | Unsigned> {
  let header: ReturnType<typeof decodeProtectedHeader>
  try {
    if (token.length > limits.tokenCharacters) throw new Error('too long')
    header = decodeProtectedHeader(token)
  } catch {
    return { claim: 'token', came: `${token.length} characters`, expected: 'a signed JWT' }
  }
  if (header.alg !== algorithm) return { claim: 'alg', came: shown(header.alg), expected: algorithm }
  const { kid } = header
  if (typeof kid !== 'string' || kid === '') return { claim: 'kid', came: '', expected: 'the id of a key' }
  let keys = await keysOf(jwksUrl, false)
  if (typeof keys !== 'string' && !has(keys, kid)) keys = await keysOf(jwksUrl, true)
  if (typeof keys === 'string') return { claim: 'keys', came: shown(keys), expected: 'a JSON Web Key Set' }
  if (!has(keys, kid))
    return { claim: 'kid', came: shown(kid), expected: shown(keys.keys.map((key) => shown(key.kid)).join(', ')) }
  const own = { keys: keys.keys.filter((key) => key.kid === kid && key.kty === 'RSA' && (key.use ?? 'sig') === 'sig') }
  try {
    const { payload } = await compactVerify(token, createLocalJWKSet(own), { algorithms: [algorithm] })
    return { claims: members(JSON.parse(Buffer.from(payload).toString())) }
  } catch {
    return { claim: 'signature', came: 'another signature', expected: `one by the key ${shown(kid)}` }
  }
}

const has = ({ keys }: JSONWebKeySet, kid: string): boolean => keys.some((key) => key.kid === kid)

/** Key sets of platforms, kept for a day; an unknown key looks again, once a minute at most. */
export function keySets({ guardedFetch }: Pick<Outgoing, 'guardedFetch'>, now: () => number = Date.now) {
  const kept = new Map<string, { readonly keys: Promise<JSONWebKeySet | string>; readonly at: number }>()

  async function fetched(url: string): Promise<JSONWebKeySet | string> {
    try {
      const { status, body } = await guardedFetch({ url, headers: { accept: 'application/json' } })
      if (status !== 200) return `${URL.parse(url)?.host} answers with ${status}`
      const { keys } = JSON.parse(Buffer.from(body).toString()) as { keys?: unknown }
      if (!Array.isArray(keys) || keys.length === 0) return 'no keys'
      return { keys: keys.filter((key) => typeof key === 'object' && key !== null).slice(0, limits.keys) }
    } catch (error) {
      if (error instanceof SyntaxError) return 'no JSON'
      return (error as { told?: string }).told ?? `${URL.parse(url)?.host} gave no answer`
    }
  }

  return {
    /** @param again a key is missing in those that are kept */
    of: ((url, again) => {
      const there = kept.get(url)
      const seconds = there ? (now() - there.at) / 1000 : Infinity
      if (there && seconds < (again ? limits.keySeconds : limits.keyHours * 3600)) return there.keys
      const keys = fetched(url)
      kept.delete(url)
      kept.set(url, { keys, at: now() })
      // a set that could not be fetched is tried again after a minute
      void keys.then((answer) => {
        if (typeof answer === 'string' && kept.get(url)?.keys === keys)
          kept.set(url, { keys, at: now() - (limits.keyHours * 3600 - limits.keySeconds) * 1000 })
      })
      if (kept.size > 1_000) kept.delete(kept.keys().next().value!)
      return keys
    }) satisfies KeysOf,
  }
}

export type KeySets = ReturnType<typeof keySets>
