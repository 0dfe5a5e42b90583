import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose'
import { Provider } from 'oidc-provider'

export const client = { clientId: 'games-lrs', clientSecret: 'secret-of-the-client-0123456789' }

/** Claims of a person, by `sub`. */
type People = Record<string, Record<string, unknown>>

async function served(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

async function signingKey() {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const named = async (key: CryptoKey) => ({ ...(await exportJWK(key)), kid: 'k1', alg: 'RS256', use: 'sig' })
  return { privateKey, jwk: await named(privateKey), publicJwk: await named(publicKey) }
}

/** oidc-provider, which is not ours: whoever comes is signed in as `who` at once and agrees to everything. */
export async function startOpenIdProvider(people: People, redirectUris: string[]) {
  const { jwk } = await signingKey()
  let listener: RequestListener = (_request, response) => response.end()
  const { issuer, close } = await served((request, response) => listener(request, response))
  const state = { who: '', denies: false }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code'],
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ['a key of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 60, IdToken: 60, AuthorizationCode: 60 },
    features: { devInteractions: { enabled: false } },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client!.clientId,
        accountId: ctx.oidc.session!.accountId!,
      })
      grant.addOIDCScope('openid email profile groups')
      await grant.save()
      return grant
    },
  })
  const callback = provider.callback()
  const interact = async (request: IncomingMessage, response: ServerResponse): Promise<void> =>
    provider.interactionFinished(
      request,
      response,
      state.denies ? { error: 'access_denied' } : { login: { accountId: state.who } },
      { mergeWithLastSubmission: false },
    )
  listener = (request, response) =>
    void (request.url!.startsWith('/interaction/') ? interact(request, response) : callback(request, response))
  return { issuer, close, state }
}

/** What a hostile provider gets wrong. */
export interface Lie {
  /** Claims of the ID token that it changes; undefined removes one. */
  claims?: JWTPayload
  /** In place of its signed token. */
  token?: (claims: JWTPayload) => Promise<string> | string
  /** Answers in its place; true: it has. */
  answer?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** A provider made by hand, which lies as it is told. Any code will do; the test says the nonce. */
export async function startLyingProvider() {
  const { privateKey, publicJwk } = await signingKey()
  const state: { lie: Lie; nonce: string; claims: JWTPayload; asked: string[] } = {
    lie: {},
    nonce: '',
    claims: {},
    asked: [],
  }
  const idToken = async (issuer: string): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const { claims, token } = state.lie
    const all = {
      iss: issuer,
      aud: client.clientId,
      sub: 'eve',
      iat: now,
      exp: now + 300,
      nonce: state.nonce,
      ...state.claims,
      ...claims,
    }
    return token ? token(all) : new SignJWT(all).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(privateKey)
  }
  const { issuer, close } = await served((request, response) => {
    state.asked.push(request.url!)
    if (state.lie.answer?.(request, response)) return
    const answer = (body: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    if (request.url === '/jwks') answer({ keys: [publicJwk] })
    else if (request.url === '/token')
      void idToken(issuer).then((id_token) =>
        answer({ access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token }),
      )
    else
      answer({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        authorization_response_iss_parameter_supported: false,
      })
  })
  return { issuer, close, state, privateKey }
}

/** A browser without scripts: it keeps cookies, and goes where it is sent. */
export function simpleBrowser(origin: string) {
  const jars = new Map<string, Map<string, string>>()
  const seen: string[] = []
  async function ask(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address, origin)
    const jar = jars.get(url.origin) ?? new Map<string, string>()
    jars.set(url.origin, jar)
    const headers = new Headers(init.headers)
    headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    seen.push(url.href)
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === '') jar.delete(name!)
      else jar.set(name!, value!)
    }
    return response
  }
  return {
    ask,
    /** Every address that it has asked for. */
    seen,
    cookie: (name: string) => jars.get(origin)?.get(name),
    setCookie: (name: string, value: string) => jars.set(origin, (jars.get(origin) ?? new Map()).set(name, value)),
    /** Goes to an address and on to where it leads; stops before an address that `until` knows. */
    async go(
      address: string,
      until: (url: string) => boolean = () => false,
    ): Promise<{ url: string; status: number; text: string }> {
      for (let url = new URL(address, origin).href, n = 0; n < 12; n++) {
        if (until(url)) return { url, status: 0, text: '' }
        const response = await ask(url)
        const onward = response.headers.get('location')
        if (!onward) return { url, status: response.status, text: await response.text() }
        url = new URL(onward, url).href
      }
      throw new Error('it is sent on and on')
    },
    /** Sends a form of a page of ours. */
    async post(path: string, fields: Record<string, string> = {}): Promise<Response> {
      return ask(path, { method: 'POST', headers: { origin }, body: new URLSearchParams(fields) })
    },
  }
}
