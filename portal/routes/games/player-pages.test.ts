import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { pino } from 'pino'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { BuildKind } from '../../../gen/lrs/v1/games_pb.js'
import { LaunchSchema, type SandboxEventSchema } from '../../../gen/lrs/v1/launches_pb.js'
import {
  build,
  failure,
  game,
  portalConfig,
  session,
  stubCore,
  studio,
  summary,
} from '../../../test/support/stub-core.ts'
import { countsInWords } from '../../pages/games/play/sandbox.ts'
import { createPortal, type RunningPortal } from '../../app.ts'
import { codeOf } from '../parts/learner-cookie.ts'
import { csrfToken } from '../../web/session-cookie.ts'

const hostile = '<img src=x onerror=alert(1)>"\'&'
const learnerId = '33333333-3333-4333-8333-333333333333'
const sessionId = '44444444-4444-4444-8444-444444444444'
/** What differs in a session of learners. */
let played: { sandbox: boolean; gameId?: string } = { sandbox: false }
const launch = create(LaunchSchema, {
  sessionId,
  sessionSecret: 's'.repeat(43),
  token: 'a.b.c',
  registration: sessionId,
  activityId: 'https://x.example/games/1',
  buildId: build.buildId,
  gameId: summary().gameId,
  learnerName: hostile,
  expires: BigInt(Math.floor(Date.now() / 1000) + 7_200),
  sandbox: true,
  actor: JSON.stringify({
    objectType: 'Agent',
    name: hostile,
    account: { homePage: 'https://x.example/learners', name: learnerId },
  }),
})
const statement = (name: string) =>
  JSON.stringify({
    actor: { name: 'Ada' },
    verb: { id: 'http://adlnet.gov/expapi/verbs/completed' },
    object: { id: 'https://x.example/l', definition: { name: { en: name } } },
  })
const events: MessageInitShape<typeof SandboxEventSchema>[] = [
  {
    number: 1n,
    at: 1_763_700_000_000n,
    request: 'POST /xapi/statements',
    status: 200,
    message: 'stored',
    statements: 2,
    body: `[${statement('Level {1}')},${statement(hostile)},{"cut":"o`,
  },
  {
    number: 2n,
    at: 1_763_700_001_000n,
    request: 'POST /xapi/statements',
    status: 400,
    rejected: true,
    reason: 'INVALID',
    message: `must not be ${hostile}`,
    path: 'statements[1].verb.id',
    body: `[${statement('fine')},{"verb":"wrong one"}]`,
  },
  {
    number: 3n,
    at: 1_763_700_002_000n,
    request: 'PUT /xapi/activities/state',
    status: 204,
    message: 'Kept the document star-trail',
    body: hostile,
  },
]
const started: unknown[] = []
const ended: string[] = []
let playable = build
let parents: string[] = []
let isolated = false
let portal: RunningPortal

/** Whose own data core was asked for. */
const asked: string[] = []

const core = stubCore({
  ownData: {
    getOwnData: ({ proof }) => {
      asked.push(proof!.learnerToken || proof!.sessionSecret)
      return { known: { learner: { name: 'Ada' } } }
    },
  },
  games: {
    getGame: () => ({ game: game() }),
    getPublishedGame: ({ slug }) => {
      if (slug === 'none') throw failure(Reason.NOT_FOUND, 'There is no such game.', { code: Code.NotFound })
      return { game: summary({ name: hostile }), build: playable, studio, player: { embed: parents, isolated } }
    },
  },
  launches: {
    listTestLearners: () => ({ learners: [{ learnerId, name: hostile }] }),
    openSandbox: () => ({ launch }),
    getSandbox: ({ sessionId: id }) => {
      if (id !== sessionId) throw failure(Reason.NOT_FOUND, 'The session has ended.', { code: Code.NotFound })
      return { launch }
    },
    async *observe({ after }) {
      const statements = events.reduce((sum, event) => sum + (event.statements ?? 0), 0)
      const rejected = events.filter((event) => event.rejected).length
      yield {
        events: events.filter(({ number }) => number! > after),
        kept: { requests: events.length, statements, rejected },
      }
    },
    getInvitation: () => ({ learnerName: hostile }),
    startPlay: (request) => {
      started.push(request)
      if (request.learnerName === '' && request.learnerToken === '' && request.invitation === '')
        throw failure(Reason.INVALID, 'learner_name: must not be empty', {
          path: 'learner_name',
          code: Code.InvalidArgument,
        })
      return { launch, learnerToken: 'token-of-the-learner' }
    },
    getLaunch: ({ sessionSecret }) => {
      if (sessionSecret !== launch.sessionSecret)
        throw failure(Reason.NOT_FOUND, 'The session has ended.', { code: Code.NotFound })
      return { launch: { ...launch, ...played } }
    },
    getResult: ({ sessionSecret }) => {
      if (sessionSecret !== launch.sessionSecret)
        throw failure(Reason.NOT_FOUND, 'The session has ended.', { code: Code.NotFound })
      return {
        gameId: summary().gameId,
        learnerName: hostile,
        statements: 2,
        ended: 'terminated',
        endedAgo: 20,
        score: { scaled: 0.5 },
        seconds: 65,
        levels: [{ activityId: 'https://x.example/l', name: JSON.stringify({ en: hostile }) }],
      }
    },
    endLaunch: ({ sessionSecret }) => {
      ended.push(sessionSecret)
      return {}
    },
    createInvitation: () => ({ code: 'the-code' }),
    listInvitations: () => ({ invitations: [{ invitationId: sessionId, learnerName: hostile, used: 2 }] }),
  },
  classes: {
    listClasses: () => ({ classes: [{ classId: sessionId, name: hostile, learners: 2 }] }),
  },
})

beforeAll(async () => {
  portal = await createPortal(portalConfig({ PLAYER_PORT: '8099' }), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())

async function call(
  path: string,
  { method = 'GET', cookie = '', form }: { method?: string; cookie?: string; form?: Record<string, string> } = {},
) {
  const at = `http://127.0.0.1:${portal.port}`
  const response = await fetch(at + path, {
    method,
    headers: { cookie, origin: at },
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
const studioCookie = `session=${session}`
const sandboxPath = `/games/${summary().gameId}/sandbox`

test('the sandbox asks who plays and goes to the session', async () => {
  const { body } = await call(sandboxPath, { cookie: studioCookie })
  expect(body).toContain('A new test learner')
  expect(body).not.toContain('<img src=x')
  const posted = await call(sandboxPath, {
    method: 'POST',
    cookie: studioCookie,
    form: { csrf: csrfToken(session), learner_id: learnerId },
  })
  expect(posted).toMatchObject({ status: 303, location: `${sandboxPath}/${sessionId}` })
})

test('the session shows the game, each call in words, and what was refused with its place; all as text', async () => {
  const { body, headers } = await call(`${sandboxPath}/${sessionId}`, { cookie: studioCookie })
  expect(headers.get('content-security-policy')).toContain('frame-src http://127.0.0.1:8099;')
  expect(body).toContain(
    `src="http://127.0.0.1:8099/b/${build.buildId}/index.html?endpoint=http%3A%2F%2F127.0.0.1%3A8080%2Fxapi%2F&amp;auth=Bearer%20a.b.c&amp;`,
  )
  expect(body).toContain('sandbox="allow-scripts allow-pointer-lock allow-forms allow-modals"')
  // whose session it is, not whom the game names
  expect(body).toContain('&amp; completed Level {1}')
  expect(body).toContain('<code class="path">statements[1].verb.id</code>')
  expect(body).toContain('&quot;wrong one&quot;')
  expect(body).toContain('<b data-count="statements">2</b>')
  expect(body).toContain('<b data-count="rejected">1</b>')
  expect(body).not.toContain('<img src=x')
})

test.each([
  [1_000, 0],
  [100, 5_000],
])('of %i requests all are counted and the latest shown, up to a page of them', async (number, padding) => {
  const before = events.length
  const body = JSON.stringify({ ...(JSON.parse(statement('Level 9')) as object), padding: 'x'.repeat(padding) })
  for (let n = 1; n <= number; n++)
    events.push({
      number: BigInt(before + n),
      at: 1_763_700_003_000n,
      request: 'POST /xapi/statements',
      status: 200,
      message: 'stored',
      statements: 1,
      body,
    })
  onTestFinished(() => void events.splice(before))
  const page = await call(`${sandboxPath}/${sessionId}`, { cookie: studioCookie })
  const shown = [...page.body.matchAll(/data-number="(\d+)"/g)].map(([, at]) => Number(at))
  expect(page.body).toContain(`<b data-count="requests">${number + 3}</b>`)
  expect(page.body).toContain(`<b data-count="statements">${number + 2}</b>`)
  expect(shown).toEqual(Array.from({ length: shown.length }, (_, n) => before + number - n))
  expect(shown.length).toBeGreaterThan(5)
  expect(page.body.length).toBeLessThan(90_000)
})

test('a session of nobody and of another game is over', async () => {
  expect(await call(`${sandboxPath}/${learnerId}`, { cookie: studioCookie })).toMatchObject({
    status: 404,
    body: expect.stringContaining('The session has ended'),
  })
  expect((await call(`/games/${learnerId}/sandbox/${sessionId}`, { cookie: studioCookie })).status).toBe(404)
  expect((await call(`${sandboxPath}/${learnerId}/events`, { cookie: studioCookie })).status).toBe(204)
})

test('calls are streamed after the one that was seen last', async () => {
  const { body, headers } = await call(`${sandboxPath}/${sessionId}/events?after=1`, { cookie: studioCookie })
  expect(headers.get('content-type')).toContain('text/event-stream')
  const sent = [...body.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, id, data]) => ({
    id,
    ...(JSON.parse(data!) as { html: string; counts: string; news: string }),
  }))
  expect(sent).toMatchObject([
    { id: '2', news: expect.stringContaining('Rejected: ') },
    { id: '3', news: '' },
  ])
  // what came before is counted, too
  expect(sent[1]!.counts.replaceAll(/<[^>]*>|\s+/g, ' ').trim()).toMatch(/^2 +statements +3 +requests +1 +rejected$/)
  expect(sent.map(({ html }) => html).join('')).not.toContain('<img src=x')
  expect(sent[0]!.html).toMatch(/>\d\d:\d\d:\d\d UTC<\/time>/)
  const one = countsInWords({ requests: 1, statements: 1, rejected: 0 }).text
  expect(one).toMatch(/1<\/b> statement<[^]*1<\/b> request</)
})

const secret = launch.sessionSecret
/** The cookie that an answer sets, as `name=value; attributes`; empty: it deletes the cookie. */
const cookieOf = ({ headers }: { headers: Headers }) =>
  headers.get('set-cookie')!.replace(/^learner-bridges-rivers=; .*/, '')
/** The cookie of a browser with this session, and with this learner: who gave the name, or said yes to it. */
const cookieWith = (session: string, token = '', by: '0' | '1' | '2' = '0', proven = '1') =>
  `learner-bridges-rivers=1.${token}.${token && 'QWRh'}.${session}.${by}.${proven}`
const enter = (form: Record<string, string>, cookie = '') =>
  call('/play/bridges-rivers', { method: 'POST', cookie, form })

test('a learner plays by a name; the next one is not offered to play on', async () => {
  expect((await call('/play/bridges-rivers')).body).not.toContain('<img src=x')
  expect(await enter({ learner_name: '' })).toMatchObject({
    status: 400,
    body: expect.stringContaining('aria-invalid="true"'),
  })
  const first = await enter({ learner_name: 'Ada' })
  expect(first).toMatchObject({ status: 303, location: '/play/bridges-rivers/game' })
  const cookie = cookieOf(first).split(';')[0]!
  // the session alone, until the browser is closed
  expect(cookieOf(first)).toMatch(/^learner-bridges-rivers=\w+\.\.\.s{43}\.0\.0; Path=\/; HttpOnly; SameSite=Lax$/)
  expect((await call('/play/bridges-rivers/game', { cookie })).body).toContain('data-launch=')
  const { body } = await call('/play/bridges-rivers', { cookie })
  for (const word of ['Yes, continue', 'Are you', 'Ada']) expect(body).not.toContain(word)
  // the next learner ends the session that the last one left running
  await enter({ learner_name: 'Bo' }, cookie)
  expect(started.at(-1)).toMatchObject({ learnerToken: '', learnerName: 'Bo' })
  expect(ended.splice(0)).toEqual([secret])
  const left = await call('/play/bridges-rivers/end', { method: 'POST', cookie })
  expect([left.location, ended.splice(0), cookieOf(left)]).toEqual(['/play/bridges-rivers/end', [secret], ''])
  expect((await call('/play/bridges-rivers/end')).body).toContain('does not remember you')
})

test('a learner who asks to be remembered continues, even after others have played, until forgotten', async () => {
  const kept = cookieOf(await enter({ learner_name: 'Ada', remember: 'yes' }))
  expect(kept).toMatch(/^learner-bridges-rivers=\w+\.token-of-the-learner\..*\.s{43}\.2\.0; Max-Age=2592000; /)
  const cookie = kept.split(';')[0]!
  expect((await call('/play/bridges-rivers', { cookie })).body).toContain('Are you ')
  await enter({ as: 'before' }, cookie)
  expect(started.at(-1)).toMatchObject({ learnerToken: 'token-of-the-learner', learnerName: '' })
  // another learner, who does not ask
  const other = await enter({ learner_name: 'Bo' }, cookie)
  expect(started.at(-1)).toMatchObject({ learnerToken: '', learnerName: 'Bo' })
  expect(cookieOf(other)).toMatch(/^learner-bridges-rivers=\w+\.token-of-the-learner\.[^.]+\.s{43}\.0\.0;/)
  expect(ended.splice(0)).toEqual([secret, secret])
  const left = await call('/play/bridges-rivers/end', { method: 'POST', cookie })
  expect([cookieOf(left), ended.splice(0)]).toEqual([
    expect.stringMatching(/^learner-bridges-rivers=\w+\.token-of-the-learner\.[^.]+\.\.2\.\w+; /),
    [secret],
  ])
  const forgotten = await call('/play/bridges-rivers/forget', { method: 'POST', cookie })
  // with the session of the learner who is forgotten
  expect([forgotten.location, cookieOf(forgotten), ended.splice(0)]).toEqual(['/play/bridges-rivers', '', [secret]])
  // that of another one goes on
  const other2 = await call('/play/bridges-rivers/forget', { method: 'POST', cookie: cookieWith(secret, 'token') })
  expect([cookieOf(other2), ended]).toEqual([
    expect.stringMatching(/^learner-bridges-rivers=\w+\.\.\.s{43}\.0\.0;/),
    [],
  ])
})

test('the next person at a computer sees no data of a remembered learner without the code', async () => {
  const at = '/play/bridges-rivers'
  const later = cookieWith('', 'token')
  const said = await call(`${at}/data`, { cookie: later })
  expect([said.body.includes('Your code'), asked]).toEqual([true, []])
  // neither by saying yes to the name, nor by the session that begins with it
  const yes = cookieOf(await enter({ as: 'before' }, later)).split(';')[0]!
  for (const query of ['', '?as=session'])
    expect((await call(`${at}/data${query}`, { cookie: yes })).body).toContain('Your code')
  for (const as of ['', 'session']) {
    expect((await call(`${at}/data/erase`, { method: 'POST', cookie: yes, form: { as, sure: 'yes' } })).status).toBe(
      403,
    )
    expect((await call(`${at}/data/export?as=${as}`, { cookie: yes })).status).toBe(403)
  }
  const code = (form: string) => call(`${at}/data/code`, { method: 'POST', cookie: later, form: { code: form } })
  expect((await code('AAAA-AAAA')).status).toBe(400)
  expect(asked).toEqual([])
  const right = await code(codeOf('token').toLowerCase())
  await call(right.location!, { cookie: cookieOf(right).split(';')[0]! })
  expect(asked.splice(0)).toEqual(['token'])
  // who gave the name sees them, and gets the code when leaving
  const born = cookieOf(await enter({ learner_name: 'Ada', remember: 'yes' })).split(';')[0]!
  await call(`${at}/data?as=session`, { cookie: born })
  expect(asked.splice(0)).toEqual([secret])
  const left = await call(`${at}/end`, { method: 'POST', cookie: born })
  const { body } = await call(`${at}/end`, { cookie: cookieOf(left).split(';')[0]! })
  expect(body).toContain(codeOf('token-of-the-learner'))
  expect((await call(`${at}/end`, { cookie: later })).body).not.toContain(codeOf('token'))
  ended.splice(0)
})

test.each([
  ['of a sandbox', { sandbox: true }],
  ['of another game', { sandbox: false, gameId: sessionId }],
])('a session %s does not play here', async (_, other) => {
  const first = await call('/play/bridges-rivers', { method: 'POST', form: { learner_name: 'Ada' } })
  const cookie = first.headers.get('set-cookie')!.split(';')[0]!
  played = other
  onTestFinished(() => void (played = { sandbox: false }))
  expect(await call('/play/bridges-rivers/game', { cookie })).toMatchObject({
    status: 303,
    location: '/play/bridges-rivers',
  })
  expect((await call('/play/bridges-rivers/launch.json', { cookie })).status).toBe(404)
})

test('without a session the game leads back to its entrance; addresses that are none are not found', async () => {
  expect(await call('/play/bridges-rivers/game')).toMatchObject({ status: 303, location: '/play/bridges-rivers' })
  expect(await call('/play/bridges-rivers/game', { cookie: cookieWith('gone', 'a') })).toMatchObject({
    status: 303,
  })
  expect((await call('/play/a;b')).status).toBe(404)
})

test('an invitation is for one learner and leaves the browser its own', async () => {
  const { body } = await call('/play/bridges-rivers?invitation=code')
  expect(body).toContain('<input type="hidden" name="invitation" value="code">')
  const { headers } = await call('/play/bridges-rivers', { method: 'POST', form: { invitation: 'code' } })
  expect(headers.get('set-cookie')).toMatch(/^learner-bridges-rivers=\w+\.\.\./)
})

test('a desktop build gets the launch context as a file and as variables', async () => {
  playable = { ...build, kind: BuildKind.DESKTOP, storageKey: 'packages/x' }
  const cookie = cookieWith(launch.sessionSecret)
  const { body } = await call('/play/bridges-rivers/game', { cookie })
  playable = build
  expect(body).toContain('XAPI_AUTH=&#39;Bearer a.b.c&#39;')
  expect(body).toContain(`href="http://127.0.0.1:8099/d/${build.buildId}/bridges-1.2.zip"`)
  const file = await call('/play/bridges-rivers/launch.json', { cookie })
  expect(file.headers.get('content-disposition')).toContain('attachment')
  expect(JSON.parse(file.body)).toMatchObject({
    endpoint: 'http://127.0.0.1:8080/xapi/',
    auth: 'Bearer a.b.c',
    activity_id: launch.activityId,
  })
})

test('the link of an invitation is shown where it is made, and once', async () => {
  const path = `/games/${summary().gameId}/invitations`
  const made = await call(path, {
    method: 'POST',
    cookie: studioCookie,
    form: { csrf: csrfToken(session), learner_name: hostile, seen: sessionId },
  })
  expect(made.body).toContain('/play/bridges-rivers?invitation=the-code')
  expect(made.body).toContain(`name="seen" value="${sessionId}"`)
  expect(made.body).not.toContain('<img src=x')
  expect((await call(path, { cookie: studioCookie })).body).not.toContain('the-code')
  // what was sent before there was this invitation
  const again = await call(path, {
    method: 'POST',
    cookie: studioCookie,
    form: { csrf: csrfToken(session), learner_name: hostile, seen: '' },
  })
  expect(again.status).toBe(409)
  expect(again.body).not.toContain('the-code')
})

const policyOf = ({ headers }: { headers: Headers }) => headers.get('content-security-policy')!

test('only /embed may be in a frame, of the sites that the studio lists; failures of other pages may not', async () => {
  expect(policyOf(await call('/embed/bridges-rivers'))).toContain("frame-ancestors 'none'")
  parents = ['https://school.example', 'http://localhost:3000']
  onTestFinished(() => void (parents = []))
  for (const [path, form] of [
    ['', undefined],
    ['?invitation=code', undefined],
    ['', { learner_name: 'Ada' }],
    ['', { learner_name: '' }],
    ['/game', { session: secret }],
    ['/game', { session: 'gone' }],
    ['/end', { session: secret }],
  ] as const) {
    const answer = await call(`/embed/bridges-rivers${path}`, { method: form ? 'POST' : 'GET', form })
    expect(policyOf(answer), path).toMatch(/frame-ancestors https:\/\/school\.example http:\/\/localhost:3000$/)
    // a frame of another site has no cookie of ours, and what is in it is not kept
    expect([answer.headers.get('set-cookie'), answer.headers.get('cache-control')]).toEqual([null, 'no-store'])
    expect(answer.body).not.toContain('<img src=x')
  }
  ended.splice(0)
  for (const path of ['/', '/g/bridges-rivers', '/play/bridges-rivers', '/embed/none', '/embed/a;b', '/embed'])
    expect(policyOf(await call(path)), path).toContain("frame-ancestors 'none'")
})

test('a page in a frame of others knows no account', async () => {
  const { body } = await call('/embed/bridges-rivers', { cookie: studioCookie })
  for (const word of ['Sign out', '/games', '<header', '<footer']) expect(body).not.toContain(word)
})

test('an isolated game is in pages that isolated sites take', async () => {
  expect((await call('/embed/bridges-rivers')).headers.get('cross-origin-resource-policy')).toBeNull()
  isolated = true
  onTestFinished(() => void (isolated = false))
  const { headers } = await call('/embed/bridges-rivers')
  expect([headers.get('cross-origin-resource-policy'), headers.get('cross-origin-embedder-policy')]).toEqual([
    'cross-origin',
    'require-corp',
  ])
})

test('who leaves sees the result for 15 minutes; opening the page of the game ends that', async () => {
  const cookie = cookieWith(secret)
  const left = await call('/play/bridges-rivers/end', { method: 'POST', cookie })
  const kept = left.headers.getSetCookie().find((one) => one.startsWith('ended-session'))!
  expect(kept).toMatch(/^ended-session=bridges-rivers\.s{43}; Max-Age=900; Path=\/; .*HttpOnly; SameSite=Lax$/)
  ended.splice(0)
  const { body } = await call('/play/bridges-rivers/end', { cookie: kept.split(';')[0]! })
  expect(body).toContain('50 %')
  expect(body).toContain('1 min 5 s')
  expect(body).not.toContain('<img src=x')
  const gone = await call('/play/bridges-rivers', { cookie: kept.split(';')[0]! })
  expect(gone.headers.get('set-cookie')).toMatch(/^ended-session=; Path=\/; Expires=Thu, 01 Jan 1970/)
  expect((await call('/play/bridges-rivers/end', { cookie: 'ended-session=bridges-rivers.gone' })).body).not.toContain(
    '50 %',
  )
})

test('a game that ended before it was loaded here has not ended', async () => {
  const cookie = cookieWith(secret)
  const ask = async (form: Record<string, string>, as = cookie) =>
    call('/play/bridges-rivers/result', { method: 'POST', cookie: as, form })
  const endedBy = async (age: string) => JSON.parse((await ask({ age })).body).ended
  // 20 seconds ago; one that is loaded again says so in its first seconds
  expect([await endedBy('30000'), await endedBy('24000'), await endedBy('10000')]).toEqual(['terminated', '', ''])
  expect(JSON.parse((await ask({})).body)).toEqual({ ended: 'terminated', text: 'Completed · 50 % · 1 min 5 s' })
  expect((await ask({}, '')).status).toBe(404)
  expect((await ask({}, cookieWith('gone'))).status).toBe(404)
})
