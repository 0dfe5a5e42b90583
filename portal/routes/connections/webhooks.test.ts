import type { MessageInitShape } from '@bufbuild/protobuf'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { MemberRole } from '../../../gen/lrs/v1/members_pb.js'
import {
  DeliveryState,
  WebhookState,
  type DeliverySchema,
  type WebhookSchema,
} from '../../../gen/lrs/v1/webhooks_pb.js'
import { failure, game, portalConfig, session, stubCore, studio, summary } from '../../../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from '../../app.ts'
import { csrfToken } from '../../web/session-cookie.ts'

const hostile = '<script>alert(1)</script>"&\''
const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD4XzWeWbJ5Ns='
const { gameId } = summary()
const webhookId = '33333333-3333-4333-8333-333333333333'
const deliveryId = 'msg_0a54c3d1e2f84b7c9d0e1f2a3b4c5d6e'
const webhook = (more: object = {}): MessageInitShape<typeof WebhookSchema> => ({
  webhookId,
  gameId,
  settings: { name: hostile, url: 'https://example.org/hooks', events: ['review.approved', 'statements.stored'] },
  state: WebhookState.RUNNING,
  created: 1_795_000_000n,
  ...more,
})
const delivery = (more: object = {}): MessageInitShape<typeof DeliverySchema> => ({
  deliveryId,
  type: 'review.approved',
  state: DeliveryState.DELIVERED,
  attempts: 1,
  status: 200,
  answer: hostile,
  created: 1_795_000_000n,
  lastAttempt: 1_795_000_000n,
  ...more,
})

let role: MemberRole
let webhooks: MessageInitShape<typeof WebhookSchema>[]
let deliveries: MessageInitShape<typeof DeliverySchema>[]
let body: string
let refusal: Error | undefined
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
    getAccount: () => ({ studio, email: 'fox@example.org', role, admin: false }),
  },
  games: { getGame: () => ({ game: game() }) },
  forwards: { listForwards: () => ({ forwards: [] }) },
  webhooks: {
    listWebhooks: () => ({ webhooks }),
    getWebhook: () => ({ webhook: webhooks[0]!, deliveries }),
    getDelivery: () => ({ delivery: deliveries[0]!, body }),
    addWebhook: note('add', () => ({ webhook: webhook(), secret })),
    changeWebhook: note('change', () => ({ webhook: webhook() })),
    rotateWebhookSecret: note('rotate', () => ({ secret, oldSecretUntil: 1_795_086_400n })),
    testWebhook: note('test', () => ({ deliveryId })),
    pauseWebhook: note('pause', () => ({})),
    repeatDelivery: note('repeat', () => ({})),
    removeWebhook: note('remove', () => ({})),
  },
})

let portal: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())
beforeEach(() => {
  role = MemberRole.OWNER
  webhooks = [webhook()]
  deliveries = [delivery()]
  body = `{"type":"review.approved","note":"${hostile}"}`
  refusal = undefined
  asked = []
})

const all = `/games/${gameId}/connections`
const one = `${all}/webhooks/${webhookId}`

async function send(path: string, form?: Record<string, string>) {
  const origin = `http://127.0.0.1:${portal.port}`
  const response = await fetch(origin + path, {
    method: form ? 'POST' : 'GET',
    redirect: 'manual',
    headers: { cookie: `session=${session}`, ...(form && { origin }) },
    body: form && new URLSearchParams({ csrf: csrfToken(session), ...form }),
  })
  const text = (await response.text()).replaceAll(/\s+/g, ' ')
  const { status, headers } = response
  return { status, to: headers.get('location'), cache: headers.get('cache-control'), text }
}

const filled = { name: 'Chat', url: 'https://example.org/hooks', 'review.approved': 'yes' }

test('without a webhook the page says what it is for, and how to begin', async () => {
  webhooks = []
  const { status, text } = await send(all)
  expect(status).toBe(200)
  expect(text).toContain('A webhook calls an address of yours')
  expect(text).toContain(`href="${all}/webhooks/new"`)
  role = MemberRole.ANALYST
  expect((await send(all)).text).not.toContain('/webhooks/new')
})

test('webhooks are listed with their state; what studios and receivers wrote is text', async () => {
  webhooks.push(webhook({ state: WebhookState.FAILING, problem: hostile }), webhook({ state: WebhookState.OFF }))
  const { text } = await send(all)
  for (const told of ['Up to date', 'Failing', 'Turned off', 'example.org', `href="${one}"`])
    expect(text).toContain(told)
  expect(text).not.toContain('<script>alert')
})

test('the form is sent to core as it was filled in, and the secret is shown this once', async () => {
  const { status, text, cache } = await send(`${all}/webhooks`, { ...filled, verb: ' https://v.example/won ' })
  expect([status, cache]).toEqual([200, expect.stringContaining('no-store')])
  expect(text).toContain(secret)
  const settings = expect.objectContaining({
    name: 'Chat',
    url: 'https://example.org/hooks',
    events: ['review.approved'],
    verb: 'https://v.example/won',
  })
  expect(asked).toEqual([['add', expect.objectContaining({ gameId, settings })]])
  expect((await send(one)).text).not.toContain('whsec_')
})

test('a refusal stands at its field, and what was typed stays', async () => {
  refusal = failure(Reason.INVALID, 'settings.url: must be public', { path: 'settings.url' })
  for (const path of [`${all}/webhooks`, `${one}/change`]) {
    const { status, text } = await send(path, filled)
    expect(status).toBe(400)
    expect(text).toContain('id="field-url-error">Must be public.')
    expect(text).toContain('value="Chat"')
    expect(text).toMatch(/name="review\.approved"[^>]*checked/)
  }
})

test('a change begins with the settings as they are', async () => {
  const { text } = await send(`${one}/change`)
  expect(text).toContain('value="https://example.org/hooks"')
  expect(text).toMatch(/name="statements\.stored"[^>]*checked/)
  expect(text).not.toMatch(/name="build\.refused"[^>]*checked/)
  expect((await send(`${one}/change`, filled)).to).toBe(`${one}?done=changed`)
  expect(asked).toEqual([['change', expect.objectContaining({ webhookId })]])
})

test('a rotation asks first, and says when it ends a secret that still signs', async () => {
  expect((await send(`${one}/rotate`)).text).not.toContain('Another one ends')
  webhooks = [webhook({ oldSecretUntil: 1_795_086_400n })]
  expect((await send(`${one}/rotate`)).text).toContain('Another one ends that oldest secret at once')
  expect(asked).toEqual([])
  const { text, cache } = await send(`${one}/rotate`, {})
  expect(text).toContain(secret)
  expect(cache).toContain('no-store')
  expect(asked).toEqual([['rotate', { webhookId }]])
})

test('deliveries are listed and shown, with what is sent and what was answered, as text and not too long', async () => {
  deliveries = [
    delivery(),
    delivery({ type: 'statements.stored', statements: 50, state: DeliveryState.PENDING, attempts: 3, status: 503 }),
    delivery({ state: DeliveryState.GIVEN_UP, status: 0, problem: hostile }),
  ]
  const { text } = await send(one)
  for (const told of ['Delivered', '50 statements', 'Tried again', '503', 'Given up']) expect(text).toContain(told)
  expect(text).not.toContain('<script>alert')
  body = hostile.repeat(10_000)
  const { status, text: shown } = await send(`${one}/deliveries/${deliveryId}`)
  expect(status).toBe(200)
  for (const told of [deliveryId, 'What is sent', 'What was answered', '&lt;script']) expect(shown).toContain(told)
  expect(shown).not.toContain('<script>alert')
  expect(shown.length).toBeLessThan(200_000)
})

test.each([
  ['pause', { paused: 'yes' }, 'paused', { webhookId, paused: true }],
  ['pause', { paused: 'no' }, 'resumed', { webhookId, paused: false }],
  ['test', {}, 'tested', { webhookId }],
  [`deliveries/${deliveryId}/repeat`, {}, 'repeated', { webhookId, deliveryId }],
] as const)('%s %o', async (action, form, done, request) => {
  const { status, to } = await send(`${one}/${action}`, { ...form })
  expect([status, to]).toEqual([303, `${one}?done=${done}`])
  expect(asked).toEqual([[action.split('/').at(-1), request]])
})

test('removing asks first', async () => {
  expect((await send(`${one}/remove`)).text).toContain('are forgotten')
  expect(asked).toEqual([])
  expect((await send(`${one}/remove`, {})).to).toBe(`${all}?done=removed`)
  expect(asked).toEqual([['remove', { webhookId }]])
})

const actions = ['pause', 'test', 'change', 'rotate', 'remove', `deliveries/${deliveryId}/repeat`]

test('a webhook of another game is not found, and nothing happens to it', async () => {
  webhooks = [webhook({ gameId: '55555555-5555-4555-8555-555555555555' })]
  for (const page of ['', '/change', '/rotate', '/remove', `/deliveries/${deliveryId}`])
    expect((await send(one + page)).status, page).toBe(404)
  for (const action of actions) expect((await send(`${one}/${action}`, filled)).status, action).toBe(404)
  expect(asked).toEqual([])
})

test('analysts read, and nothing else', async () => {
  role = MemberRole.ANALYST
  for (const page of ['', `/deliveries/${deliveryId}`]) {
    const { status, text } = await send(one + page)
    expect(status).toBe(200)
    expect(text).not.toMatch(/<form[^>]*webhooks/)
    expect(text).not.toMatch(/href="[^"]*\/(change|rotate|remove)"/)
  }
  for (const page of ['/change', '/rotate', '/remove']) expect((await send(one + page)).status, page).toBe(403)
  expect((await send(`${all}/webhooks`, filled)).status).toBe(403)
  for (const action of actions) expect((await send(`${one}/${action}`, filled)).status, action).toBe(403)
  expect(asked).toEqual([])
})
