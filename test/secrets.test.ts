import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import { statement } from './support/statements.ts'
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
  const game = await system.game()
  secret('secret of a game of admins', game.secret)
  secret('minted launch token', (await game.launch({ mbox: 'mailto:ann@example.org' })).slice('Bearer '.length))
  await told(game.xapi().as(bearer(tokens.admin)).post(statement()))
  await Promise.all(system.cores.map((core) => core.events.flush().then(() => core.refusals.flush())))
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
