import { afterAll, beforeAll, expect, test } from 'vitest'
import { Code } from '@connectrpc/connect'
import { pino } from 'pino'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { failure, game, portalConfig, session, stubCore, summary } from '../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../app.ts'
import { csrfToken } from './session-cookie.ts'
import { ownPath } from './visit.ts'

const hostile = '<script>alert(1)</script>"&\''
const asked: string[] = []
let next: Error | undefined
let portal: RunningPortal

const core = stubCore({
  games: {
    listGames: () => ({ games: [summary({ name: hostile, summary: hostile })] }),
    getGame: () => ({ game: game({ summary: summary({ name: hostile, summary: hostile }), description: hostile }) }),
    createGame: ({ name }) => {
      if (next) throw next
      asked.push(name)
      return { gameId: summary().gameId }
    },
    revealSecret: () => ({ key: 'key', secret: 'the-secret' }),
    rotateSecret: () => ({ key: 'key', secret: 'the-new-secret' }),
  },
  uploads: {
    requestUpload: () => {
      throw next
    },
  },
})

beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())

const at = () => `http://127.0.0.1:${portal.port}`
const cookie = `other=1; session=${session}`

async function call(
  path: string,
  {
    method = 'GET',
    headers = {},
    form,
  }: { method?: string; headers?: Record<string, string>; form?: Record<string, string> } = {},
) {
  const response = await fetch(`${at()}${path}`, {
    method,
    headers,
    redirect: 'manual',
    body: form && new URLSearchParams(form),
  })
  return {
    status: response.status,
    headers: response.headers,
    location: response.headers.get('location'),
    body: await response.text(),
  }
}
const post = (path: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  call(path, {
    method: 'POST',
    headers: { cookie, origin: at(), ...headers },
    form: { csrf: csrfToken(session), ...form },
  })

test('guests sign in first and come back; a session that ended is forgotten', async () => {
  expect(await call('/games/new?x=1')).toMatchObject({ status: 303, location: '/sign-in?next=%2Fgames%2Fnew%3Fx%3D1' })
  const ended = await call('/games', { headers: { cookie: 'session=ended' } })
  expect(ended.status).toBe(303)
  expect(ended.headers.get('set-cookie')).toMatch(/^session=; Path=\/; Expires=Thu, 01 Jan 1970/)
  expect((await post('/games', {}, { cookie: 'session=ended' })).status).toBe(401)
})

test('no cache stores pages of a session, nor pages for a learner, whom another cookie names', async () => {
  for (const own of ['learner-quiz=ann', `known=${'a'.repeat(20)}`]) {
    expect((await call('/sign-in', { headers: { cookie: own } })).headers.get('cache-control'), own).toBe('no-store')
  }
  expect((await call('/sign-in')).headers.get('cache-control')).toBe('no-cache')
  const { status, headers } = await call('/games', { headers: { cookie } })
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-store')
  expect((await call('/games', { method: 'HEAD', headers: { cookie } })).body).toBe('')
})

test.each([
  ['another origin', { origin: 'https://evil.example' }],
  ['no origin', { origin: '' }],
  ['the origin null', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['a sibling', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
])('a form from elsewhere is refused: %s', async (_name, headers) => {
  const { status, body } = await post('/games', { name: 'Bridges' }, headers)
  expect(status).toBe(403)
  expect(body).toContain('not sent from a page of this portal')
  expect(asked).toEqual([])
})

test('a form without its token, or with another session’s, is refused', async () => {
  expect((await post('/games', { name: 'Bridges', csrf: '' })).status).toBe(403)
  expect((await post('/games', { name: 'Bridges', csrf: csrfToken('b'.repeat(43)) })).status).toBe(403)
  expect(asked).toEqual([])
})

test('our own form is taken, by its origin or by what the browser says of it', async () => {
  expect(await post('/games', { name: 'One' })).toMatchObject({
    status: 303,
    location: `/games/${summary().gameId}/checklist?done=created`,
  })
  expect((await post('/games', { name: 'Two' }, { origin: 'null', 'sec-fetch-site': 'same-origin' })).status).toBe(303)
  expect((await post('/games', { name: 'Three', csrf: '' }, { csrf: csrfToken(session) })).status).toBe(303)
  expect(asked.splice(0)).toEqual(['One', 'Two', 'Three'])
})

test('each page has another token, so that its compressed length reveals nothing; all tokens are accepted', async () => {
  const tokens = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { body } = await call('/games', { headers: { cookie } })
      return /name="csrf" value="([\w-]+)"/.exec(body)![1]!
    }),
  )
  const parts = tokens.flatMap((token) =>
    Array.from({ length: token.length - 5 }, (_, at) => `${at} ${token.slice(at, at + 6)}`),
  )
  expect(new Set(parts).size).toBe(parts.length)
  next = undefined
  for (const csrf of tokens.slice(0, 2)) expect((await post('/games', { name: 'Masked', csrf })).status).toBe(303)
  const [first, second] = tokens.map((token) => Buffer.from(token, 'base64url'))
  const mixed = Buffer.concat([first!.subarray(0, 32), second!.subarray(32)]).toString('base64url')
  for (const csrf of [mixed, tokens[0]!.slice(1), `${tokens[0]}AAAA`, 'A'.repeat(86)])
    expect((await post('/games', { name: 'Masked', csrf })).status).toBe(403)
  expect(asked.splice(0)).toEqual(['Masked', 'Masked'])
})

test('a refusal keeps what was typed, leads to the field and to the rule', async () => {
  next = failure(Reason.INVALID, 'name: must not be empty', { path: 'name', code: Code.InvalidArgument })
  const wrong = await post('/games', { name: hostile })
  expect(wrong.status).toBe(400)
  expect(wrong.body).toContain('value="&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;&#39;"')
  expect(wrong.body).toContain('<a href="#field-name">Name must not be empty.</a>')
  expect(wrong.body).toContain('aria-invalid="true"')
  next = failure(Reason.QUOTA_EXCEEDED, 'Your studio has 20 games.', {
    rule: 'limits#games',
    code: Code.ResourceExhausted,
  })
  const full = await post('/games', { name: 'Volcano' })
  expect(full.status).toBe(400)
  expect(full.body).toContain('value="Volcano"')
  expect(full.body).toContain('<a href="/limits#games">Read the rule</a>')
})

test('text that was typed while the session ended can be copied', async () => {
  const path = `/games/${summary().gameId}/edit`
  const over = await call(path, {
    method: 'POST',
    headers: { origin: at() },
    form: { name: 'Volcano', description: hostile },
  })
  expect(over.status).toBe(401)
  expect(over.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;&#39;</textarea>')
  expect(over.body).toContain('>\nVolcano</textarea>')
  const elsewhere = await call(path, {
    method: 'POST',
    headers: { origin: 'https://evil.example' },
    form: { description: hostile },
  })
  expect(elsewhere.status).toBe(403)
  expect(elsewhere.body).not.toContain('alert(1)')
})

test.each([
  ['signed in again since', 403, { csrf: csrfToken('b'.repeat(43)) }, undefined],
  ['a fault of ours', 500, {}, failure(Reason.INTERNAL, 'Something went wrong on our side.', { code: Code.Internal })],
] as const)(
  'a page that cannot take a form hands back what was typed, secrets aside: %s',
  async (_name, status, form, fault) => {
    next = fault
    const path = `/games/new?x=1`
    const typed = { name: 'Volcano', password: 'three calm words' }
    const answer = await post('/games', { ...typed, ...form }, { referer: `${at()}${path}` })
    expect(answer.status).toBe(status)
    expect(answer.body).toMatch(
      /<label for="typed-name">Name<\/label>\s*<textarea id="typed-name" readonly rows="1">\nVolcano<\/textarea>/,
    )
    expect(answer.body).toContain(`href="${path}">Open the form again`)
    expect(answer.body).not.toContain(typed.password)
    for (const referer of ['https://evil.example/x', 'nonsense', `${at()}//evil.example`]) {
      expect((await post('/games', { ...typed, ...form }, { referer })).body).not.toContain('evil')
    }
  },
)

test('names with markup are text on every page', async () => {
  const id = summary().gameId
  for (const path of [
    '/games',
    `/games/${id}/builds`,
    `/games/${id}/edit`,
    `/games/${id}/delete`,
    `/games/${id}/credential`,
    `/games/${id}/submit`,
  ]) {
    const { status, body } = await call(path, { headers: { cookie } })
    expect([path, status]).toEqual([path, 200])
    expect(body).toContain('&lt;script&gt;')
    expect(body).not.toContain('<script>')
    expect(body).toContain('Blue &lt;Fox&gt;')
  }
})

test('scripts are answered in JSON, with the status and the link of the rule', async () => {
  const path = `/games/${summary().gameId}/uploads`
  const upload = { kind: 'browser-build', file_name: 'a.zip', size: '10' }
  next = failure(Reason.RATE_LIMITED, 'Too many requests', { code: Code.ResourceExhausted })
  expect(await post(path, upload)).toMatchObject({ status: 429, body: '{"error":"Too many requests"}' })
  next = failure(Reason.QUOTA_EXCEEDED, 'No room.', { rule: 'limits#storage', code: Code.ResourceExhausted })
  expect(await post(path, upload)).toMatchObject({ status: 400, body: '{"error":"No room.","link":"/limits#storage"}' })
  expect((await post(path, { ...upload, kind: 'constructor' })).status).toBe(400)
  expect((await post(path, { ...upload, size: '-1' })).status).toBe(400)
  expect(await call(path, { method: 'POST', headers: { origin: at() }, form: upload })).toMatchObject({
    status: 401,
    body: expect.stringContaining('Sign in first'),
  })
})

test('a secret stands in the answer to one form, and a reload does not rotate again', async () => {
  const path = `/games/${summary().gameId}/credential`
  const shown = await post(`${path}/reveal`)
  expect(shown.body).toContain('the-secret')
  expect(shown.headers.get('cache-control')).toBe('no-store, no-transform')
  expect((await call(path, { headers: { cookie } })).body).not.toContain('the-secret')
  expect((await post(`${path}/rotate`, { seen: '0' })).body).toContain('the-new-secret')
  const again = await post(`${path}/rotate`, { seen: '1763000000' })
  expect(again).toMatchObject({ status: 409, body: expect.not.stringContaining('the-new-secret') })
})

test('what is too large, broken or not there is told in words', async () => {
  expect(await post('/games', { name: 'x'.repeat(300_000) })).toMatchObject({
    status: 413,
    body: expect.stringContaining('The form is too large'),
  })
  expect((await call('/games/%E0%A4%A', { headers: { cookie } })).status).toBe(400)
  for (const what of ['', '/upload', '/edit', '/data', '/sandbox', '/statements'])
    expect((await call(`/games/not-a-uuid${what}`, { headers: { cookie } })).status, what).toBe(404)
  expect((await call('/constructor')).status).toBe(404)
})

test.each([
  ['/games/new?x=1', '/games/new?x=1'],
  ['//evil.example', '/games'],
  ['/\\evil.example', '/games'],
  ['/a\\..\\\\evil', '/games'],
  ['https://evil.example', '/games'],
  ['/\t/evil.example', '/games'],
  ['javascript:alert(1)', '/games'],
  ['', '/games'],
])('after signing in one lands on a page of ours: %s', (given, path) => {
  expect(ownPath(given)).toBe(path)
})

test('behind https the cookie is bound to the host and the origin is the one of the setting', async () => {
  const config = portalConfig({ LRS_PORTAL_URL: 'https://studio.example/' })
  const secure = await createPortal(config, { core, log: pino({ level: 'silent' }) })
  const get = (cookie: string) =>
    fetch(`http://127.0.0.1:${secure.port}/games`, { headers: { cookie }, redirect: 'manual' }).then(
      ({ status }) => status,
    )
  expect(await get(`session=${session}`)).toBe(303)
  expect(await get(`__Host-session=${session}`)).toBe(200)
  const send = (origin: string) =>
    fetch(`http://127.0.0.1:${secure.port}/games`, {
      method: 'POST',
      headers: { cookie: `__Host-session=${session}`, origin },
      redirect: 'manual',
      body: new URLSearchParams({ csrf: csrfToken(session), name: 'x' }),
    })
  next = undefined
  expect((await send(`http://127.0.0.1:${secure.port}`)).status).toBe(403)
  expect((await send('https://studio.example')).status).toBe(303)
  await secure.close()
})
