import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Code, ConnectError } from '@connectrpc/connect'
import { pino } from 'pino'
import { Writable } from 'node:stream'
import { FailureSchema, Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { failure, portalConfig, session, studio, stubCore } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'
import { widgetFolder } from '../../pages/accounts/studio/captcha-widget.ts'
import { csrfToken } from '../../web/session-cookie.ts'

const hostile = '<script>alert(1)</script>"&\''
const password = 'three calm words'
const asked: Record<string, unknown>[] = []
const logged: string[] = []
let next: Error | undefined
let held: { prefix: string; granted: bigint }[] = []
const note =
  (call: string) =>
  ({ $typeName: _, ...request }: { $typeName: string }) => {
    if (next) throw next
    asked.push({ call, ...request })
    return {}
  }
const signedIn = (call: string) => (request: { $typeName: string }) => ({
  ...note(call)(request),
  session: 'n'.repeat(43),
  expires: 1_900_000_000n,
  known: 'browser.signature',
})

const core = stubCore({
  accounts: {
    signUp: signedIn('signUp'),
    signIn: signedIn('signIn'),
    signOut: note('signOut'),
    signOutEverywhere: note('signOutEverywhere'),
    changePassword: note('changePassword'),
    updateStudio: note('updateStudio'),
    deleteMessage: note('deleteMessage'),
    deleteMessages: note('deleteMessages'),
    contactStudio: note('contactStudio'),
    createChallenge: () => ({ json: '{"parameters":{}}' }),
    getPublicStudio: () => ({
      studio: { ...studio, name: hostile, about: hostile, website: 'https://x.example/"><script>' },
    }),
    listMessages: () => ({
      messages: [
        {
          messageId: crypto.randomUUID(),
          senderName: hostile,
          senderEmail: 'a?b&c@x.example',
          message: hostile,
          sent: 1n,
        },
      ],
    }),
  },
  games: { listPublishedGames: () => ({ games: [] }) },
  reservations: { listOwnReservations: () => ({ reservations: held }) },
})
const log = pino(
  { level: 'debug' },
  new Writable({ write: (line, _encoding, done) => (logged.push(String(line)), done()) }),
)
let portal: RunningPortal
let secure: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core, log })
  secure = await createPortal(portalConfig({ LRS_PORTAL_URL: 'https://studio.example', LRS_TRUST_PROXY: '1' }), {
    core,
    log,
  })
})
afterAll(() => Promise.all([portal.close(), secure.close()]))
beforeEach(() => {
  next = undefined
  asked.length = 0
})

const at = () => `http://127.0.0.1:${portal.port}`
const cookie = `session=${session}`
async function call(
  path: string,
  {
    method = 'GET',
    headers = {},
    form,
    of = portal,
  }: { method?: string; headers?: Record<string, string>; form?: Record<string, string>; of?: RunningPortal } = {},
) {
  const response = await fetch(`http://127.0.0.1:${of.port}${path}`, {
    method,
    headers,
    redirect: 'manual',
    body: form && new URLSearchParams(form),
  })
  return {
    status: response.status,
    headers: response.headers,
    location: response.headers.get('location'),
    cookies: response.headers.getSetCookie(),
    body: await response.text(),
  }
}
const asGuest = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  call(path, { method: 'POST', headers: { origin: at(), ...headers }, form })
const asStudio = (path: string, form: Record<string, string> = {}) =>
  asGuest(path, { csrf: csrfToken(session), ...form }, { cookie })

test('a studio sees the activities that are reserved for it, or how to reserve some', async () => {
  expect((await call('/studio', { headers: { cookie } })).body).toContain('Nothing is reserved for you')
  held = [{ prefix: 'https://fox.example/a&b/', granted: 1_763_700_000n }]
  const { body } = await call('/studio', { headers: { cookie } })
  expect(body).toContain('<code>https://fox.example/a&amp;b/</code>')
  expect(body).not.toContain('Nothing is reserved')
})

test('the session is kept in a cookie that scripts and other sites do not get', async () => {
  const { status, location, cookies } = await asGuest('/sign-in', {
    email: 'fox@example.org',
    password,
    next: '/games/new?x=1',
  })
  expect([status, location]).toEqual([303, '/games/new?x=1'])
  expect(cookies).toEqual([
    expect.stringMatching(/^session=n{43}; Path=\/; Expires=.* GMT; HttpOnly; SameSite=Lax$/),
    expect.stringMatching(
      /^known=browser\.signature; Max-Age=34560000; Path=\/; Expires=.* GMT; HttpOnly; SameSite=Lax$/,
    ),
  ])
  expect(asked).toMatchObject([
    { call: 'signIn', email: 'fox@example.org', password, senderIp: '127.0.0.1', known: '' },
  ])
})

test('a browser shows by what it is known for each of a few accounts, and keeps it when it signs out', async () => {
  const marks = Array.from({ length: 5 }, (_, n) => `b${n}.s${n}`)
  const { cookies } = await asGuest(
    '/sign-in',
    { email: 'fox@example.org', password },
    { cookie: `known=${marks.join('~')}` },
  )
  expect(asked).toMatchObject([{ known: marks.join('~') }])
  expect(cookies[1]).toMatch(/^known=browser\.signature~b0\.s0~b1\.s1~b2\.s2~b3\.s3;/)
  for (const strange of ['known=a b', 'known=%7E', `known=${'x'.repeat(1_001)}`]) {
    asked.length = 0
    await asGuest('/sign-in', { email: 'fox@example.org', password }, { cookie: strange })
    expect(asked).toMatchObject([{ known: '' }])
  }
  expect((await asStudio('/sign-out')).cookies.map((one) => one.split('=', 1)[0])).toEqual(['session'])
})

test('where the portal is found over https, browsers are told to come back over https only', async () => {
  expect((await call('/limits', { of: secure })).headers.get('strict-transport-security')).toBe(
    'max-age=31536000; includeSubDomains',
  )
  expect((await call('/limits')).headers.has('strict-transport-security')).toBe(false)
})

test('over https it is a cookie of this host alone; the proxy says who the sender is', async () => {
  const headers = { origin: 'https://studio.example', 'x-forwarded-for': '203.0.113.9, 198.51.100.4' }
  const { cookies } = await call('/sign-up', {
    of: secure,
    method: 'POST',
    headers,
    form: { email: 'fox@example.org', password, studio_name: 'Fox' },
  })
  expect(cookies).toEqual([
    expect.stringMatching(/^__Host-session=n{43}; Path=\/; Expires=.*; HttpOnly; Secure; SameSite=Lax$/),
    expect.stringMatching(/^__Host-known=browser\.signature; .*Path=\/; .*HttpOnly; Secure; SameSite=Lax$/),
  ])
  expect(asked).toMatchObject([{ call: 'signUp', studioName: 'Fox', senderIp: '198.51.100.4' }])
  await asGuest('/sign-in', { email: 'fox@example.org', password }, { 'x-forwarded-for': '203.0.113.9' })
  expect(asked[1]).toMatchObject({ senderIp: '127.0.0.1' })
})

test.each(['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', ''])(
  'after signing in nobody is sent to %j',
  async (next) => {
    expect((await asGuest('/sign-in', { email: 'fox@example.org', password, next })).location).toBe('/games')
    expect((await call(`/sign-in?next=${encodeURIComponent(next)}`, { headers: { cookie } })).location).toBe('/games')
  },
)

test('a refused form comes back with what was typed, but for the password, and its status', async () => {
  next = failure(
    Reason.RATE_LIMITED,
    'Too many requests. Failed sign-ins of one sender: at most 50 per 15 minutes. Try again in 15 minutes.',
    { code: Code.ResourceExhausted },
  )
  const limited = await asGuest('/sign-in', { email: hostile, password, next: '/reviews' })
  expect(limited.status).toBe(429)
  expect(limited.body).toContain('Try again in 15 minutes.')
  expect(limited.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(limited.body).toContain('name="next" value="/reviews"')
  expect(limited.body).not.toContain(password)
  next = failure(Reason.INVALID, 'email: has an account already: sign in with it', {
    path: 'email',
    code: Code.InvalidArgument,
  })
  const taken = await asGuest('/sign-up', { email: 'fox@example.org', password, studio_name: hostile })
  expect(taken.status).toBe(400)
  expect(taken.body).toMatch(
    /id="field-email"[^>]* aria-invalid="true" aria-describedby="field-email-hint field-email-error"/,
  )
  expect(taken.body).not.toContain(password)
  expect(taken.body).toContain('<a href="#field-email">E-mail address has an account already: sign in with it.</a>')
  expect(taken.body).toContain('id="field-email-error">Has an account already: sign in with it.</p>')
})

test('every field that is wrong is told, at the top and beside it', async () => {
  const wrong = (path: string) => ({ reason: Reason.INVALID, path, message: `${path}: must not be empty` })
  next = new ConnectError('no', Code.InvalidArgument, undefined, [
    { desc: FailureSchema, value: { ...wrong('studio_name'), further: [wrong('email'), wrong('password')] } },
  ])
  const { status, body } = await asGuest('/sign-up', { email: 'no address', password: 'short', studio_name: '' })
  expect(status).toBe(400)
  for (const [path, label] of [
    ['studio_name', 'Name of the studio'],
    ['email', 'E-mail address'],
    ['password', 'Password'],
  ]) {
    expect(body).toContain(`<a href="#field-${path}">${label} must not be empty.</a>`)
    expect(body).toContain(`id="field-${path}-error">Must not be empty.</p>`)
    expect(body).toMatch(new RegExp(`id="field-${path}"[^>]* aria-invalid="true"`))
  }
  expect(body).toContain('value="no address"')
})

test.each(['/sign-in', '/sign-up', '/studios/blue-fox'])(
  'a guest’s form from elsewhere is refused: %s',
  async (path) => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: '' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[]) {
      expect(await asGuest(path, { email: 'fox@example.org', password }, headers)).toMatchObject({
        status: 403,
        body: expect.stringContaining('reload the page'),
      })
    }
    expect(asked).toEqual([])
  },
)

test.each([
  '/sign-out',
  '/account/password',
  '/account/sign-out-everywhere',
  '/studio',
  '/studio/logo/remove',
  `/messages/${crypto.randomUUID()}/delete`,
])('a form of a session without its token is refused: %s', async (path) => {
  expect((await asGuest(path, {}, { cookie })).status).toBe(403)
  expect((await asGuest(path, { csrf: csrfToken(session) }, { cookie, origin: 'https://evil.example' })).status).toBe(
    403,
  )
  expect(asked).toEqual([])
})

test('signing out, here and everywhere, drops the cookie', async () => {
  for (const [path, name] of [
    ['/sign-out', 'signOut'],
    ['/account/sign-out-everywhere', 'signOutEverywhere'],
  ] as const) {
    const { status, cookies } = await asStudio(path)
    expect(status).toBe(303)
    expect(cookies).toEqual([expect.stringMatching(/^session=; Path=\/; Expires=Thu, 01 Jan 1970/)])
    expect(asked.at(-1)).toMatchObject({ call: name })
  }
})

test.each([
  ['1', 'The account had one session. It has ended'],
  ['3', '3 sessions have ended'],
  ['<b>', undefined],
  ['', undefined],
])('how many sessions ended is told: %s', async (ended, told) => {
  const { body } = await call(`/sign-in?ended=${encodeURIComponent(ended)}`)
  if (told === undefined) expect(body).not.toContain('role="status"')
  else expect(body).toContain(told)
})

test('texts of strangers are text: on the public page, among the messages, in links', async () => {
  const page = await call('/studios/blue-fox')
  expect(page.body).not.toContain('<script>')
  expect(page.body).toContain('href="https://x.example/&quot;&gt;&lt;script&gt;"')
  expect(page.headers.get('content-security-policy')).not.toContain('unsafe')
  const messages = await call('/messages', { headers: { cookie } })
  expect(messages.body).not.toContain('<script>')
  expect(messages.body).toContain('href="mailto:a%3Fb%26c@x.example"')
})

test('the contact form: its puzzle, the widget’s own files, and what it sends', async () => {
  expect(await call('/studios/blue-fox/challenge')).toMatchObject({ status: 200, body: '{"parameters":{}}' })
  for (const [file, type] of [
    ['altcha.js', 'javascript'],
    ['worker.js', 'javascript'],
    ['altcha.css', 'css'],
  ]) {
    const { status, headers } = await call(`${widgetFolder}/${file}`)
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining(type!)])
  }
  expect((await call(`${widgetFolder}/constructor`)).status).toBe(404)
  const sent = { sender_name: 'Ana', sender_email: 'ana@example.org', message: 'Hello!\r\nAna', solution: 'abc' }
  expect((await asGuest('/studios/blue-fox', sent)).location).toBe('/studios/blue-fox?done=sent#contact')
  expect(asked).toMatchObject([
    {
      slug: 'blue-fox',
      senderName: 'Ana',
      senderEmail: 'ana@example.org',
      message: 'Hello!\nAna',
      solution: 'abc',
      senderIp: '127.0.0.1',
    },
  ])
})

test('no password and no session is in the log', () => {
  expect(logged.length).toBeGreaterThan(0)
  expect(logged.join('')).not.toMatch(new RegExp(`${password}|${session}|n{43}`))
})

test('a full box of messages is told on every page; what is shown can be deleted at once', async () => {
  const ids = [crypto.randomUUID(), crypto.randomUUID()]
  const full = await createPortal(portalConfig(), {
    log,
    core: stubCore({
      accounts: {
        getAccount: () => ({ studio, email: 'fox@example.org', messagesFull: true, role: 3 }),
        deleteMessages: note('deleteMessages'),
        listMessages: () => ({
          messages: ids.map((messageId) => ({
            messageId,
            senderName: 'Ana',
            senderEmail: 'a@x.example',
            message: 'Hello',
            sent: 1n,
          })),
        }),
      },
    }),
  })
  try {
    expect((await call('/limits', { of: full, headers: { cookie } })).body).toContain('You have too many messages')
    expect((await call('/limits', { headers: { cookie } })).body).not.toContain('You have too many messages')
    const { body } = await call('/messages', { of: full, headers: { cookie } })
    expect(body).toContain('Delete all 2 messages')
    const sent = /name="ids" value="([^"]+)"/.exec(body)![1]!
    const origin = `http://127.0.0.1:${full.port}`
    const { location } = await call('/messages/delete', {
      of: full,
      method: 'POST',
      headers: { origin, cookie },
      form: { csrf: csrfToken(session), ids: sent },
    })
    expect(location).toBe('/messages?done=all-deleted')
    expect(asked).toMatchObject([{ call: 'deleteMessages', messageIds: ids }])
  } finally {
    await full.close()
  }
})
