import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import { statement } from './support/statements.ts'
import type { Studio } from './support/studios.ts'
import { signingKey, tokens } from './support/system.ts'
import { basic, bearer, xapiClient, type Reply } from './support/xapi.ts'

let system: PortalSystem
const lines: string[] = []
/** What was answered when something was refused, headers and body. */
const refusals: string[] = []
const plainFetch = globalThis.fetch
/** What nobody may find, by what it is. */
const secrets = new Map<string, string>(
  Object.entries(tokens).map(([role, token]) => [`service token of ${role}`, token]),
)

beforeAll(async () => {
  globalThis.fetch = async (...request) => {
    const response = await plainFetch(...request)
    if (response.status >= 400)
      refusals.push(
        `${new URL(response.url).pathname} ${JSON.stringify([...response.headers])} ${await response.clone().text()}`,
      )
    return response
  }
  const log = pino(
    { level: 'trace' },
    new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) }),
  )
  system = await startPortalSystem({ log, rateLimitFactor: 1 })
  secrets.set('signing key', signingKey.toString('base64url'))
})
afterAll(() => {
  globalThis.fetch = plainFetch
  return system.close()
})

/** A form of the portal, sent as browsers do. */
const send = (path: string, form: Record<string, string>, cookie = '') =>
  fetch(`${system.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: system.url, cookie },
    body: new URLSearchParams(form),
  })

const secret = (what: string, value: string): string => {
  expect(value.length, what).toBeGreaterThanOrEqual(16)
  secrets.set(what, value)
  return value
}

/** What the gateway answers; its clients here do not use fetch. */
async function told(answer: Promise<Reply>): Promise<void> {
  const { status, headers, text } = await answer
  if (status >= 400) refusals.push(`/xapi ${JSON.stringify([...headers])} ${text}`)
}

/** Everything that signs somebody in or lets something be done, used well and badly. */
async function run(): Promise<void> {
  const email = 'fox@example.org'
  const password = secret('password', `correct horse ${randomBytes(8).toString('hex')}`)
  const wrong = secret('wrong password', `wrong horse ${randomBytes(8).toString('hex')}`)
  const sessionOf = ({ headers }: Response) => /session=([\w-]+)/.exec(headers.get('set-cookie') ?? '')![1]!
  const signedUp = await send('/sign-up', { email, password, studio_name: 'Blue Fox' })
  expect(signedUp.status).toBe(303)
  secret('session of signing up', sessionOf(signedUp))
  await send('/sign-in', { email, password: wrong })
  const signedIn = await send('/sign-in', { email, password })
  const session = secret('session of signing in', sessionOf(signedIn))
  const forged = secret('a session that is none', randomBytes(32).toString('base64url'))
  for (const cookie of [`session=${session}`, `session=${forged}`])
    await fetch(`${system.url}/account`, { headers: { cookie }, redirect: 'manual' })
  // without the CSRF field: refused, and logged
  expect(
    (await send('/account/password', { current_password: password, password: wrong }, `session=${session}`)).status,
  ).toBe(403)
  secret('password that an admin set', (await system.admin.accounts.resetPassword({ email })).password)

  const studio = await system.studio('Owl')
  const { gameId, slug } = await system.publish(studio, 'Quiz')
  const { games, launches } = studio.on()
  const shown = await games.revealSecret({ gameId })
  secret('secret of a credential', shown.secret)
  const rotated = secret('rotated secret', (await games.rotateSecret({ gameId })).secret)
  for (const known of [shown.secret, rotated]) {
    secret('Basic of a credential', basic(shown.key, known).slice('Basic '.length))
    const xapi = xapiClient(system.urls[0]!, basic(shown.key, known))
    await told(xapi.post(statement()))
    await told(xapi.post({ broken: true }))
    await told(xapi.request('GET', 'statements', { query: { nonsense: 1 } }))
  }
  const sandbox = (await launches.openSandbox({ gameId, learnerName: 'Ann' })).launch!
  const invitation = await launches.createInvitation({ gameId, learnerName: 'Bob' })
  secret('invitation', invitation.code)
  const portal = system.connections[0]!.as(bearer(tokens.portal))
  const play = await portal.launches.startPlay({ slug, senderIp: '192.0.2.1', learnerName: 'Cem' })
  secret('token of a learner', play.learnerToken)
  for (const [what, { token, sessionSecret, buildId }] of Object.entries({ sandbox, play: play.launch! })) {
    secret(`launch token of ${what}`, token)
    secret(`signature of the launch token of ${what}`, token.split('.')[2]!)
    secret(`session secret of ${what}`, sessionSecret)
    const xapi = xapiClient(system.urls[0]!, bearer(token))
    await told(xapi.post({ ...statement(), actor: undefined }))
    await told(xapi.post('{'))
    await told(xapiClient(system.urls[0]!, bearer(`${token}x`)).post(statement()))
    for (const session of [sessionSecret, `${sessionSecret}x`])
      await fetch(`${system.gamesUrl}/b/${buildId}/launch.json`, { headers: { authorization: bearer(session) } })
    await fetch(`${system.gamesUrl}/b/${buildId}/none.html?auth=${encodeURIComponent(bearer(token))}`)
    await fetch(`${system.url}/nowhere?auth=${encodeURIComponent(bearer(token))}`)
  }
  await installed(studio, gameId, slug)
  const game = await system.game()
  secret('secret of a game of admins', game.secret)
  secret('minted launch token', (await game.launch({ mbox: 'mailto:ann@example.org' })).slice('Bearer '.length))
  await told(game.xapi().as(bearer(tokens.admin)).post(statement()))
  await Promise.all(system.cores.map((core) => core.events.flush().then(() => core.refusals.flush())))
}

type Answered = Readonly<
  Record<
    | 'device_code'
    | 'user_code'
    | 'verification_uri_complete'
    | 'error'
    | 'access_token'
    | 'refresh_token'
    | 'auth'
    | 'registration',
    string
  > & { actor: { name: string; account: object } }
>

/** An installed game that is linked by a code and by a link, as RFC 8628 and docs/devices.md have it. */
async function installed(studio: Studio, gameId: string, slug: string): Promise<void> {
  await studio.on().games.setPlayer({ gameId, player: { devices: true, launchLink: 'myquiz://play' } })
  const ask = async (path: string, form: Readonly<Record<string, string>>): Promise<Answered> => {
    const body = new URLSearchParams({ client_id: slug, ...form })
    return (await (await fetch(`${system.url}/device/${path}`, { method: 'POST', body })).json()) as Answered
  }
  const byCode = (device_code: string) =>
    ask('token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code, device_name: 'Tablet' })
  const { device_code, user_code, ...codes } = await ask('code', {})
  secret('device code', device_code)
  const uri = `${system.url}/device`
  expect([user_code, codes]).toEqual([
    expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
    {
      verification_uri: uri,
      verification_uri_complete: `${uri}?user_code=${user_code}`,
      expires_in: 600,
      interval: 5,
    },
  ])
  expect((await byCode(device_code)).error).toBe('authorization_pending')
  expect(await ask('token', { grant_type: 'password' })).toMatchObject({ error: 'unsupported_grant_type' })
  const page = await (await fetch(codes.verification_uri_complete)).text()
  for (const word of [user_code, 'Quiz asks to save', 'Do not link']) expect(page).toContain(word)
  const wrong = await fetch(`${uri}?user_code=BBBB-BBBB`)
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('value="BBBB-BBBB"')])
  const allowed = await send('/device/allow', {
    user_code: user_code.toLowerCase(),
    learner_name: 'Dan',
    remember: 'yes',
  })
  expect([allowed.status, allowed.headers.get('location')]).toEqual([303, `/device/linked/${slug}`])
  const cookie = allowed.headers.get('set-cookie')!.split(';')[0]!
  const first = await byCode(device_code)
  secret('secret of a device', first.refresh_token)
  secret('launch token of a device', first.access_token)
  expect(first).toMatchObject({ token_type: 'Bearer', auth: `Bearer ${first.access_token}` })
  expect((await byCode(device_code)).error).toBe('invalid_grant')

  // what was played offline, under an account of the device, is the learner's: once, under the session that it began
  const registration = crypto.randomUUID()
  const offline = statement({
    actor: { account: { homePage: 'https://tablet.example', name: 'anonymous' } },
    context: { registration },
  })
  const again = { grant_type: 'refresh_token', refresh_token: first.refresh_token, registration }
  const next = await ask('token', again)
  expect([next.registration, next.refresh_token]).toEqual([registration, first.refresh_token])
  const xapi = xapiClient(system.urls[0]!, next.auth)
  for (const _ of ['sent', 'sent again']) expect((await xapi.post([offline])).status).toBe(200)
  const stored = await system.database.sql<{ body: string }>('select body from statement where body like $1', [
    `%${registration}%`,
  ])
  expect(stored.map(({ body }) => JSON.parse(body).actor.account)).toEqual([next.actor.account])

  // the learner's page ends it
  const data = `/play/${slug}/data`
  const own = await (await fetch(system.url + data, { headers: { cookie } })).text()
  const [, deviceId] = /Tablet[^]*name="device_id" value="([^"]+)"/.exec(own)!
  expect((await send(`${data}/end-device`, { device_id: deviceId! }, cookie)).status).toBe(303)
  expect((await ask('token', again)).error).toBe('invalid_grant')
  expect((await xapi.post([statement()])).status).toBe(401)

  // a link opens it for the learner of the browser's session
  const played = await send(`/play/${slug}`, { learner_name: 'Eli' })
  const opened = await send(`/play/${slug}/open`, {}, played.headers.get('set-cookie')!.split(';')[0])
  const [, code] = /href="myquiz:\/\/play\?launch=([\w-]+)"/.exec(await opened.text())!
  secret('code of a link', code!)
  expect((await byCode(code!)).actor.name).toBe('Eli')
  expect((await byCode(code!)).error).toBe('invalid_grant')
}

test(
  'secrets, sessions, passwords and tokens of a whole run are neither in logs, nor in the database, nor in what is told who is refused',
  { timeout: 120_000 },
  async () => {
    await run()
    const log = lines.join('\n')
    expect(log).toContain('a form from elsewhere was refused')
    expect(secrets.size).toBeGreaterThan(20)
    const tables = await system.database.sql<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public'",
    )
    expect(tables.length).toBeGreaterThan(20)
    const rows: string[] = []
    for (const { name } of tables)
      for (const { row } of await system.database.sql<{ row: string }>(`select t::text as row from ${name} t`))
        rows.push(`${name} ${row}`)
    const database = rows.join('\n')
    expect(refusals.length).toBeGreaterThan(10)
    // an address holds what its sender put there
    const told = refusals.map((text) => text.slice(text.indexOf(' '))).join('\n')
    // the search finds what is there: hashes instead, and a name that is no secret
    expect(database).toContain('fox@example.org')
    expect(database).toContain('$argon2id$')
    for (const [what, value] of secrets) {
      // as it stands, and as Postgres shows bytes
      for (const form of [
        value,
        Buffer.from(value).toString('hex'),
        Buffer.from(value).toString('base64').replace(/=+$/, ''),
      ]) {
        expect(log.includes(form), `${what} is in a log: ${lines.find((line) => line.includes(form))}`).toBe(false)
        expect(
          told.includes(form),
          `${what} is told: ${refusals.find((text) => text.includes(form))?.slice(0, 500)}`,
        ).toBe(false)
        expect(
          database.includes(form),
          `${what} is in the database: ${rows.find((row) => row.includes(form))?.slice(0, 300)}`,
        ).toBe(false)
      }
    }
  },
)
