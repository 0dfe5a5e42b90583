import type { MessageInitShape } from '@bufbuild/protobuf'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { ForwardState, type ForwardSchema, type SetAsideSchema } from '../../../gen/lrs/v1/forwards_pb.js'
import { MemberRole } from '../../../gen/lrs/v1/members_pb.js'
import type { FindForwardsResponseSchema } from '../../../gen/lrs/v1/operator_pb.js'
import { failure, game, portalConfig, session, stubCore, studio, summary } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'
import { csrfToken } from '../../web/session-cookie.ts'

const hostile = '<script>alert(1)</script>"&\''
const secret = 'quite-secret-9'
const { gameId } = summary()
const forwardId = '33333333-3333-4333-8333-333333333333'
const statementId = '44444444-4444-4444-8444-444444444444'
const forward = (more: object = {}): MessageInitShape<typeof ForwardSchema> => ({
  forwardId,
  gameId,
  settings: { name: hostile, endpoint: 'https://lrs.example/xapi', version: '1.0.3', pseudonyms: true },
  user: 'ann',
  state: ForwardState.RUNNING,
  sent: 1_234n,
  created: 1_795_000_000n,
  ...more,
})

let role: MemberRole
let forwards: MessageInitShape<typeof ForwardSchema>[]
let setAside: MessageInitShape<typeof SetAsideSchema>[]
let problem: string
let operated: MessageInitShape<typeof FindForwardsResponseSchema>
let refusal: Error | undefined
let refusedGame: boolean
/** What core was asked to do. */
let asked: [string, object][]
const note =
  <Answer extends object>(name: string, answer: () => Answer) =>
  ({ $typeName: _, ...request }: { $typeName: string }): Answer => {
    asked.push([name, request])
    if (refusal) throw refusal
    return answer()
  }

const core = stubCore({
  accounts: {
    getAccount: () => ({ studio, email: 'fox@example.org', role, admin: role === MemberRole.OWNER }),
  },
  games: {
    getGame: () => {
      if (refusedGame) throw failure(Reason.NOT_FOUND, 'There is no such game.')
      return { game: game() }
    },
  },
  insights: { getInsights: () => ({ verbs: [{ verbId: 'https://v.example/won', name: hostile }] }) },
  forwards: {
    listForwards: () => ({ forwards }),
    getForward: () => ({ forward: forwards[0]!, setAside }),
    addForward: note('add', () => ({ forward: forward() })),
    changeForward: note('change', () => ({ forward: forward() })),
    testForward: note('test', () => ({ problem })),
    pauseForward: note('pause', () => ({})),
    sendAgain: note('again', () => ({})),
    retrySetAside: note('retry', () => ({})),
    removeForward: note('remove', () => ({})),
  },
  operator: { findForwards: note('find', () => operated) },
})

let portal: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())
beforeEach(() => {
  role = MemberRole.OWNER
  forwards = [forward()]
  setAside = []
  problem = ''
  refusal = undefined
  refusedGame = false
  asked = []
})

const all = `/games/${gameId}/connections`
const one = `${all}/forwards/${forwardId}`

async function send(path: string, form?: Record<string, string>) {
  const origin = `http://127.0.0.1:${portal.port}`
  const response = await fetch(origin + path, {
    method: form ? 'POST' : 'GET',
    redirect: 'manual',
    headers: { cookie: `session=${session}`, ...(form && { origin }) },
    body: form && new URLSearchParams({ csrf: csrfToken(session), ...form }),
  })
  const text = (await response.text()).replaceAll(/\s+/g, ' ')
  return { status: response.status, to: response.headers.get('location'), text }
}

const filled = {
  name: 'School',
  endpoint: 'https://lrs.example/xapi',
  version: '2.0.0',
  credential: 'basic',
  user: 'ann',
  password: secret,
  statements: 'learners',
  from: 'beginning',
}

test('without a forward the page says what forwarding is, and how to begin', async () => {
  forwards = []
  const { status, text } = await send(all)
  expect(status).toBe(200)
  expect(text).toContain('sends the statements of this game on to another learning record store')
  expect(text).toContain(`href="${all}/forwards/new"`)
  role = MemberRole.ANALYST
  expect((await send(all)).text).not.toContain('/forwards/new')
})

test('forwards are listed with their state; what studios and targets wrote is text', async () => {
  forwards.push(forward({ state: ForwardState.FAILING, problem: hostile, failures: 3, setAside: 2n }))
  const { text } = await send(all)
  expect(text).toContain('Up to date')
  expect(text).toContain('3 attempts failed')
  expect(text).toContain('2 statements set aside')
  expect(text).toContain(`href="${one}"`)
  expect(text).not.toContain('<script>alert')
})

test('the form is sent to core as it was filled in', async () => {
  const { status, to } = await send(`${all}/forwards`, { ...filled, verb: hostile, attachments: 'yes' })
  expect([status, to]).toEqual([303, `${one}?done=added`])
  expect(asked).toEqual([
    [
      'add',
      expect.objectContaining({
        gameId,
        since: '1970-01-01T00:00:00Z',
        settings: expect.objectContaining({ name: 'School', verb: 'https://v.example/won', attachments: true }),
        credential: expect.objectContaining({
          kind: { case: 'basic', value: expect.objectContaining({ user: 'ann', password: secret }) },
        }),
      }),
    ],
  ])
  expect((await send(`${one}?done=added`)).text).toContain('The forward is added.')
})

test('a refusal stands at its field; what was typed stays, but not the secret', async () => {
  refusal = failure(Reason.INVALID, 'settings.endpoint: must be public', { path: 'settings.endpoint' })
  const { status, text } = await send(`${all}/forwards`, filled)
  expect(status).toBe(400)
  expect(text).toContain('<a href="#field-endpoint">Endpoint (xAPI) must be public.</a>')
  expect(text).toContain('id="field-endpoint-error">Must be public.')
  expect(text).toContain('value="School"')
  expect(text).toContain('Enter it again')
  expect(text).not.toContain(secret)
  refusal = undefined
  const { text: noDay } = await send(`${all}/forwards`, { ...filled, from: 'date' })
  expect(noDay).toContain('id="field-since-error">Must be a day')
  expect(asked).toHaveLength(1)
})

test('a test answers on the page, adds nothing, and does not keep the secret', async () => {
  const good = await send(`${all}/forwards/test`, filled)
  expect(good.status).toBe(200)
  expect(good.text).toMatch(/<div id="tested"[^>]*>.*It works/)
  expect(good.text).not.toContain(secret)
  problem = `It answered 401: ${hostile}`
  const bad = await send(`${all}/forwards/test`, { ...filled, name: '' })
  expect(bad.text).toMatch(/<div id="tested"[^>]*>.*It answered 401: &lt;script/)
  refusal = failure(Reason.INVALID, 'settings.endpoint: must be public', { path: 'settings.endpoint' })
  const wrong = await send(`${all}/forwards/test`, filled)
  expect(wrong.text).toMatch(/<div id="tested"[^>]*>.*must be public/i)
  expect(asked.map(([name]) => name)).toEqual(['test', 'test', 'test'])
})

test('a change sends a credential only if one was chosen, and keeps whose statements go on', async () => {
  forwards = [forward({ settings: { name: 'School', endpoint: 'https://lrs.example/x', sandbox: true } })]
  const { text } = await send(`${one}/change`)
  expect(text).toMatch(/value="keep" checked/)
  expect(text).toContain('value="https://lrs.example/x"')
  expect(text).not.toContain('name="statements"')
  const { to } = await send(`${one}/change`, { ...filled, credential: 'keep' })
  expect(to).toBe(`${one}?done=changed`)
  await send(`${one}/test`, { ...filled, credential: 'bearer', bearer: secret })
  expect(asked).toEqual([
    [
      'change',
      expect.objectContaining({ forwardId, settings: expect.objectContaining({ sandbox: true, name: 'School' }) }),
    ],
    ['test', expect.objectContaining({ gameId, forwardId, credential: expect.anything() })],
  ])
  expect(asked[0]![1]).not.toHaveProperty('credential')
})

test('the page of a forward has settings, counts and what was set aside, and stays small', async () => {
  const reason = hostile.repeat(100)
  setAside = Array.from({ length: 100 }, () => ({ statementId, stored: 1_795_000_000_000_000n, reason, at: 1n }))
  forwards = [forward({ setAside: 250n, behindSeconds: 60n, through: 1_795_000_000_000_000n })]
  const { status, text } = await send(one)
  expect(status).toBe(200)
  for (const told of [
    '1,234 statements',
    'Behind by 1 min',
    'user <code>ann</code>',
    'newest 100 of 250',
    'counts it again',
  ])
    expect(text).toContain(told)
  expect(text).toContain(`href="/games/${gameId}/statements/${statementId}"`)
  expect(text).not.toContain('<script>alert')
  expect(text.length).toBeLessThan(102_000)
})

test('what the target cannot be told is told here: that a learner was erased', async () => {
  setAside = [{ statementId: '', stored: 0n, reason: `A learner was erased here. ${hostile}`, at: 1_795_000_000n }]
  const { text } = await send(one)
  expect(text).toContain('Erased learners')
  expect(text).toContain('A learner was erased here. &lt;script')
  // there is no statement to look at or to send again
  expect(text).not.toMatch(/\/statements\/|\/retry"/)
})

test.each([
  ['pause', { paused: 'yes' }, 'paused', { paused: true }],
  ['pause', { paused: 'no' }, 'resumed', { paused: false }],
  ['retry', {}, 'retried', {}],
  ['send-again', { from: 'date', since: '2026-11-05' }, 'again', { since: '2026-11-05T00:00:00Z' }],
] as const)('%s %o', async (action, form, done, request) => {
  const { status, to } = await send(`${one}/${action}`, { ...form })
  expect([status, to]).toEqual([303, `${one}?done=${done}`])
  expect(asked).toEqual([[action === 'send-again' ? 'again' : action, { forwardId, ...request }]])
})

test('removing asks first', async () => {
  const { text } = await send(`${one}/remove`)
  expect(text).toContain('forgotten')
  expect(asked).toEqual([])
  expect((await send(`${one}/remove`, {})).to).toBe(`${all}?done=removed`)
  expect(asked).toEqual([['remove', { forwardId }]])
})

test('a forward of another game is not found, and nothing happens to it', async () => {
  forwards = [forward({ gameId: '55555555-5555-4555-8555-555555555555' })]
  for (const page of ['', '/change', '/remove']) expect((await send(one + page)).status).toBe(404)
  for (const action of ['pause', 'retry', 'send-again', 'change', 'test', 'remove'])
    expect((await send(`${one}/${action}`, filled)).status, action).toBe(404)
  expect(asked).toEqual([])
})

test('analysts read, and nothing else', async () => {
  role = MemberRole.ANALYST
  setAside = [{ statementId, stored: 1n, reason: 'no', at: 1n }]
  const { status, text } = await send(one)
  expect(status).toBe(200)
  expect(text).not.toMatch(/<form[^>]*forwards/)
  expect(text).not.toMatch(/href="[^"]*\/(change|remove)"/)
  for (const page of ['/forwards/new', `/forwards/${forwardId}/change`, `/forwards/${forwardId}/remove`])
    expect((await send(all + page)).status, page).toBe(403)
  for (const action of ['', '/test', ...['pause', 'retry', 'send-again', 'remove'].map((to) => `/${forwardId}/${to}`)])
    expect((await send(`${all}/forwards${action}`, filled)).status, action).toBe(403)
  expect(asked).toEqual([])
})

test('operators see the forwards of all games with the game and its studio', async () => {
  const studioId = '66666666-6666-4666-8666-666666666666'
  operated = {
    forwards: [
      { forward: forward({ state: ForwardState.FAILING }), gameName: `${hostile}1`, studioId, studioName: 'Owl' },
    ],
    total: 120,
    failing: 1,
  }
  const { status, text } = await send('/operator/forwards?find=owl')
  expect(status).toBe(200)
  expect(asked).toEqual([['find', { find: 'owl' }]])
  for (const told of ['1 forward of 120 is failing.', 'lrs.example', 'first 1 of 120', 'Failing'])
    expect(text).toContain(told)
  expect(text).toContain(`<a href="/operator/studios/${studioId}">Owl</a>`)
  expect(text).not.toContain('<script>alert')
  operated = {}
  expect((await send('/operator/forwards?find=owl')).text).toContain('No forward is found.')
  expect((await send('/operator/forwards')).text).toContain('No game forwards its statements.')
  role = MemberRole.ANALYST
  expect((await send('/operator/forwards')).status).toBe(403)
})

test.each([
  '/games/x/connections',
  '/games/x/connections/forwards/y',
  '/games/x/connections/webhooks/y',
  `/games/${statementId}/connections/forwards/y`,
  `/games/${statementId}/connections/webhooks/y`,
  '/games/x/statements/files',
  '/games/x/data/kept',
])('%s is not found, and no call of core fails unheard', async (path) => {
  refusedGame = true
  // a rejection without a handler would end the process: here it fails the run
  expect((await send(path)).status).toBe(404)
})
