import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect } from 'vitest'
import type { ProviderSettings } from '../../gen/lrs/v1/providers_pb.js'
import { client, simpleBrowser, startLyingProvider, startOpenIdProvider } from './openid.ts'
import { startPortalSystem } from './portal.ts'

type Browser = ReturnType<typeof simpleBrowser>

/** Where people without a studio arrive. */
export const start = '/start'
export const isBack = (url: string): boolean => url.includes('/back?')
export const refused = (problem: string, provider = 'lying') => [`/sign-in/with/${provider}/${problem}`, false]

export const settings = (more: Partial<ProviderSettings> = {}) => ({
  label: 'Example Login',
  clientId: client.clientId,
  scopes: ['email', 'profile', 'groups'],
  groupClaim: '',
  opens: true,
  ...more,
})

/** A portal where people sign in with a provider that is honest, or with one that lies. */
export async function startProviders() {
  /** What core and portal log. */
  const said: string[] = []
  const log = pino(
    { level: 'debug' },
    new Writable({ write: (line, _encoding, done) => (said.push(String(line)), done()) }),
  )
  const system = await startPortalSystem({ log })
  const people: Record<string, Record<string, unknown>> = {
    ann: { email: 'ann@example.org', email_verified: true, name: 'Ann', groups: ['makers'] },
    ben: { email: 'ben@example.org', email_verified: false, name: 'Ben' },
  }
  const honest = await startOpenIdProvider(people, [`${system.url}/sign-in/with/honest/back`])
  const lying = await startLyingProvider()
  const add = (name: string, issuer: string, more: object = {}) =>
    system.admin.providers.addProvider({
      name,
      issuer,
      clientSecret: client.clientSecret,
      settings: settings(more) as never,
    })
  await add('honest', honest.issuer)
  await add('lying', lying.issuer, { label: 'Lying Login' })

  const browser = (): Browser => simpleBrowser(system.url)
  /** The address of ours to which the provider sends the browser back. */
  const sentBack = async (own: Browser, provider = 'honest'): Promise<string> =>
    (await own.go(`/sign-in/with/${provider}`, isBack)).url
  /** The same at the provider that lies: it knows the nonce, and gives any code. */
  async function lyingBack(own: Browser, provider = 'lying', query: Record<string, string> = {}): Promise<string> {
    const { headers } = await own.ask(`/sign-in/with/${provider}`)
    const asked = new URL(headers.get('location')!)
    lying.state.nonce = asked.searchParams.get('nonce')!
    const back = new URL(asked.searchParams.get('redirect_uri')!)
    back.search = new URLSearchParams({ code: 'any', state: asked.searchParams.get('state')!, ...query }).toString()
    return back.href
  }
  /** The page at the end, and whether somebody is signed in. */
  async function end(own: Browser, address: string): Promise<[path: string, signedIn: boolean]> {
    const { url } = await own.go(address)
    return [new URL(url).pathname, own.cookie('session') !== undefined]
  }

  /** Nothing that signs anybody in is in the log. */
  function saidNothingSecret() {
    expect(said.join('')).not.toMatch(/code=|state=|eyJ|nonce=/)
    expect(said.join('')).not.toContain(client.clientSecret)
  }

  return {
    system,
    said,
    people,
    honest,
    lying,
    add,
    browser,
    sentBack,
    lyingBack,
    end,
    saidNothingSecret,
    /** Before each test: the providers are as they were. */
    calm() {
      Object.assign(lying.state, { lie: {}, claims: {} })
      Object.assign(honest.state, { who: 'ann', denies: false })
    },
    async close() {
      await Promise.all([honest.close(), lying.close()])
      await system.close()
      saidNothingSecret()
    },
  }
}

export type Providers = Awaited<ReturnType<typeof startProviders>>
