import type * as openIdClient from 'openid-client'
import type { Configuration, DiscoveryRequestOptions, ExportedJWKSCache, ServerMetadata } from 'openid-client'
import type { OutgoingRequest, OutgoingResponse } from './web-call.ts'

/** A provider of OpenID Connect, and how it knows us. */
export interface OpenIdProvider {
  /** As it writes it itself. */
  readonly issuer: string
  readonly clientId: string
  /** Empty: it asks for none. */
  readonly clientSecret: string
}

type Library = typeof openIdClient
export type Web = (request: OutgoingRequest) => Promise<OutgoingResponse>

/** The library, ready to call a provider. */
export interface Configured {
  readonly library: Library
  readonly config: Configuration
  readonly metadata: ServerMetadata
  /** Keeps the keys of the provider for the next call. */
  keepKeys(): void
}

/** What a provider says of itself, as it was found at a time. */
interface Found {
  readonly metadata: ServerMetadata
  readonly at: number
  keys?: ExportedJWKSCache | undefined
}

/** The configuration of a provider is asked for again after this time; how many are kept, and characters of one. */
const freshMs = 10 * 60_000
const mostFound = 20
const mostKept = 64 * 1024
const used = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'jwks_uri',
  'id_token_signing_alg_values_supported',
  'userinfo_signing_alg_values_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
]
/** Signatures that only the provider can make; `none` and those by the client secret are not among them. */
const algorithms = /^(?:RS|PS|ES)(?:256|384|512)$|^(?:EdDSA|Ed25519)$/

/** The library openid-client, with what is known of each provider. @param seconds for all requests of one step */
export function openIdDiscovery(web: Web, seconds: number) {
  const found = new Map<string, Found>()

  /** @throws errors of the library and of `web` */
  async function foundOf(library: Library, { issuer, clientId }: OpenIdProvider, options: DiscoveryRequestOptions) {
    const known = found.get(issuer)
    if (known && Date.now() - known.at < freshMs) return known
    const discovered = await library.discovery(new URL(issuer), clientId, undefined, library.None(), options)
    const metadata = metadataOf(discovered.serverMetadata())
    if (metadata.issuer !== issuer)
      throw new library.ClientError(`the provider calls itself ${JSON.stringify(metadata.issuer).slice(0, 200)}`)
    if (JSON.stringify(metadata).length > mostKept) throw new library.ClientError('the configuration is too large')
    const one: Found = { metadata, at: Date.now() }
    found.delete(issuer)
    found.set(issuer, one)
    if (found.size > mostFound) found.delete(found.keys().next().value!)
    return one
  }

  return {
    /** @throws errors of the library and of `web` */
    async configured(provider: OpenIdProvider): Promise<Configured> {
      const library = await import('openid-client')
      const customFetch = fetchOver(web, AbortSignal.timeout(seconds * 1000))
      // the guard decides which hosts may be called without TLS; a provider with TLS names no address without
      const execute = provider.issuer.startsWith('http:') ? [library.allowInsecureRequests] : []
      const known = await foundOf(library, provider, { [library.customFetch]: customFetch, execute })
      const { metadata } = known
      const authentication = authenticationOf(library, provider.clientSecret, metadata)
      const config = new library.Configuration(metadata, provider.clientId, undefined, authentication)
      config[library.customFetch] = customFetch
      for (const extend of [...execute, library.enableNonRepudiationChecks]) extend(config)
      if (known.keys) library.setJwksCache(config, known.keys)
      const keepKeys = (): void => {
        const keys = library.getJwksCache(config)
        if (JSON.stringify(keys ?? '').length <= mostKept) known.keys = keys
      }
      return { library, config, metadata, keepKeys }
    },
    /** The next call asks the provider again. */
    forget: ({ issuer }: OpenIdProvider): void => void found.delete(issuer),
  }
}

/** What is used of it, with the algorithms that we take. */
function metadataOf(all: ServerMetadata): ServerMetadata {
  const kept = Object.fromEntries(
    Object.entries(all).filter(([name]) => used.includes(name)),
  ) as unknown as ServerMetadata
  const signed = kept.id_token_signing_alg_values_supported?.filter((name) => algorithms.test(name))
  return { ...kept, id_token_signing_alg_values_supported: signed }
}

/** How we show who we are; providers that do not say how they like it take both. */
function authenticationOf(
  library: Library,
  clientSecret: string,
  { token_endpoint_auth_methods_supported: of }: ServerMetadata,
) {
  if (clientSecret === '') return library.None()
  const isBasic = of === undefined || of.includes('client_secret_basic')
  return isBasic ? library.ClientSecretBasic(clientSecret) : library.ClientSecretPost(clientSecret)
}

/** The requests of the library, as calls of ours. */
const fetchOver =
  (web: Web, ending: AbortSignal) =>
  async (
    url: string,
    { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
  ): Promise<Response> => {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const end = (): void => reject(ending.reason)
    ending.addEventListener('abort', end, { once: true })
    if (ending.aborted) end()
    try {
      const sent = web({ url, method: method as 'GET' | 'POST', headers, body: body ? String(body) : undefined })
      const { status, headers: answered, body: bytes } = await Promise.race([sent, late])
      return new Response(status === 204 || status === 304 ? null : new Uint8Array(bytes), {
        status,
        headers: answered,
      })
    } finally {
      ending.removeEventListener('abort', end)
    }
  }
