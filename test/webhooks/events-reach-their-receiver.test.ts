import { ConnectError } from '@connectrpc/connect'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { DeliveryState, WebhookState } from '../../gen/lrs/v1/webhooks_pb.js'
import { webhookEvents } from '../../shared/webhook-events.ts'
import { player, statement } from '../support/statements.ts'
import { addStudio, stageBuild, type Studio } from '../support/studios.ts'
import { startSystem, type System } from '../support/system.ts'
import { isSignedWith, startReceiver } from './receiver.ts'

let system: System
let studio: Studio
let receiver: Awaited<ReturnType<typeof startReceiver>>
let gameId: string
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0, webhookMs: 100 })
  studio = await addStudio(system, 'Fox')
})
afterAll(() => system.close())
beforeEach(async () => {
  receiver = await startReceiver()
  ;({ gameId } = await studio.on().games.createGame({ name: 'Chess' }))
})
afterEach(async () => {
  receiver.let()
  await receiver.close()
  for (const one of (await studio.on().webhooks.listWebhooks({ gameId })).webhooks)
    await studio.on().webhooks.removeWebhook({ webhookId: one.webhookId })
})

const hooks = () => studio.on().webhooks
const allEvents = Object.keys(webhookEvents)
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 15_000, interval: 100 })

async function add(events: readonly string[] = allEvents, url = receiver.url) {
  const { webhook, secret } = await hooks().addWebhook({ gameId, settings: { name: 'Ours', url, events: [...events] } })
  return { webhookId: webhook!.webhookId, secret }
}
const viewOf = async (webhookId: string) => {
  const { webhook, deliveries } = await hooks().getWebhook({ webhookId })
  return { ...webhook!, deliveries }
}
/** What waits for its next attempt has its turn now. */
const hurry = () =>
  system.database.sql(`with d as (update webhook_delivery set next_attempt = now() where ended is null)
    update webhook set next_attempt = now()`)
const refusalOf = (asked: Promise<unknown>) =>
  asked.then(
    () => '',
    (error) => ConnectError.from(error).rawMessage,
  )

test('a test event is signed as the specification says, and the answer is shown', async () => {
  const { webhookId, secret } = await add()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  receiver.answer = () => ({ status: 202, body: 'thank you' })
  const { deliveryId } = await hooks().testWebhook({ webhookId })
  await until(() => expect(receiver.received).toHaveLength(1))
  const [one] = receiver.received
  expect(one!.event).toMatchObject({ type: 'webhook.test', data: { gameId, webhookId, name: 'Ours' } })
  expect(one!.id).toBe(deliveryId)
  expect(one!.headers['content-type']).toBe('application/json')
  expect(Math.abs(Number(one!.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(20)
  expect(isSignedWith(secret, one!)).toBe(true)
  expect(isSignedWith(`whsec_${Buffer.alloc(32).toString('base64')}`, one!)).toBe(false)
  await until(async () =>
    // of a private network the answer is for operators
    expect((await system.admin.webhooks.getWebhook({ webhookId })).deliveries).toMatchObject([
      { deliveryId, state: DeliveryState.DELIVERED, attempts: 1, status: 202, answer: 'thank you', problem: '' },
    ]),
  )
  expect((await hooks().getDelivery({ webhookId, deliveryId })).body).toBe(one!.body.toString())
  expect(JSON.stringify(await viewOf(webhookId), (_, value) => String(value))).not.toContain(secret.slice(6))
})

test('while a secret is rotated both sign, and after 24 hours only the new one', async () => {
  const { webhookId, secret } = await add()
  const { secret: newer, oldSecretUntil } = await hooks().rotateWebhookSecret({ webhookId })
  expect(Math.abs(Number(oldSecretUntil) - Date.now() / 1000 - 24 * 60 * 60)).toBeLessThan(60)
  await hooks().testWebhook({ webhookId })
  await until(() => expect(receiver.received).toHaveLength(1))
  expect(String(receiver.received[0]!.headers['webhook-signature']).split(' ')).toHaveLength(2)
  expect([secret, newer].map((one) => isSignedWith(one, receiver.received[0]!))).toEqual([true, true])
  await system.database.sql(`update webhook set old_until = now() - interval '1 second'`)
  await hooks().testWebhook({ webhookId })
  await until(() => expect(receiver.received).toHaveLength(2))
  expect([secret, newer].map((one) => isSignedWith(one, receiver.received[1]!))).toEqual([false, true])
})

test('secrets are sealed in the database, and sealed again with other keys', async () => {
  const { secret, webhookId } = await add()
  await hooks().rotateWebhookSecret({ webhookId })
  const rows = await system.database.sql<{ secret: Buffer; old: Buffer }>(
    'select secret, old_secret as old from webhook',
  )
  expect(rows.some((row) => [row.secret, row.old].some((one) => one.toString().includes(secret.slice(6))))).toBe(false)
  const { sealed, kept, unreadable } = await system.admin.admin.sealSecrets({})
  expect([Number(sealed) + Number(kept) >= 2, unreadable]).toEqual([true, []])
})

test('reviews and builds are told in their transaction', async () => {
  await add()
  const games = studio.on().games
  await games.updateGame({ gameId, name: 'Chess', summary: 'A game' })
  const buildId = await stageBuild(system, gameId)
  await games.submitForReview({ gameId })
  const reviewer = await addStudio(system, 'Judge', { reviewer: true })
  await reviewer.on().games.decideReview({ gameId, buildId, approved: false, note: 'Too loud' })
  await until(() => expect(receiver.types()).toEqual(['review.submitted', 'review.rejected']))
  expect(receiver.received[1]!.event.data).toEqual({ gameId, buildId, note: 'Too loud' })
  await games.submitForReview({ gameId })
  await reviewer.on().games.decideReview({ gameId, buildId, approved: true })
  await games.withdraw({ gameId })
  await until(() =>
    expect(receiver.types().slice(2)).toEqual(['review.submitted', 'review.approved', 'game.withdrawn']),
  )
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(5)
})

test('only what was chosen is told, and nothing of other games', async () => {
  await add(['review.approved'])
  const { gameId: other } = await studio.on().games.createGame({ name: 'Go' })
  await system.database.sql(`update game set summary = 'x' where uuid = any ($1::uuid[])`, [[gameId, other]])
  for (const one of [gameId, other]) {
    await stageBuild(system, one)
    await studio.on().games.submitForReview({ gameId: one })
  }
  expect(
    await system.database.sql('select 1 from webhook_event where data ->> $1 = any ($2)', ['gameId', [gameId, other]]),
  ).toEqual([])
})

test('410 turns a webhook off, with a notice; it goes on where it was', async () => {
  const { webhookId } = await add()
  receiver.answer = () => ({ status: 410 })
  await hooks().testWebhook({ webhookId })
  await until(async () => expect((await viewOf(webhookId)).state).toBe(WebhookState.OFF))
  expect((await viewOf(webhookId)).problem).toContain('410')
  const { notifications } = await studio.on().notices.listNotifications({})
  expect(notifications[0]).toMatchObject({
    title: 'A webhook of Chess was turned off',
    path: `/games/${gameId}/connections`,
  })
  expect(await refusalOf(hooks().testWebhook({ webhookId }))).toContain('paused or turned off')
  receiver.answer = () => ({ status: 200 })
  await hooks().pauseWebhook({ webhookId, paused: false })
  await until(() => expect(receiver.received).toHaveLength(2))
  expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id)
})

test('Retry-After holds everything back but a test; a 500 only its own delivery', async () => {
  const { webhookId } = await add()
  receiver.answer = () => ({ status: 503, headers: { 'retry-after': '3600' } })
  await hooks().testWebhook({ webhookId })
  await until(async () => expect((await viewOf(webhookId)).deliveries[0]!.attempts).toBe(1))
  const { deliveries, state, problem } = await viewOf(webhookId)
  expect([state, problem]).toEqual([WebhookState.FAILING, 'The receiver answered 503.'])
  expect(Number(deliveries[0]!.nextAttempt) - Date.now() / 1000).toBeGreaterThan(3_500)
  const [game] = await system.database.sql<{ id: number }>('select id from game where uuid = $1', [gameId])
  await system.cores[0]!.store.webhookEvents.tell([game!.id], 'review.approved', {})
  await new Promise((done) => setTimeout(done, 600))
  expect(receiver.received).toHaveLength(1)
  await hooks().testWebhook({ webhookId })
  await until(async () => expect((await viewOf(webhookId)).failures).toBe(2))
  receiver.answer = ({ id }) => ({ status: id === receiver.received[0]!.id ? 500 : 200 })
  await hurry()
  await until(() => expect(receiver.received).toHaveLength(5))
  await hooks().testWebhook({ webhookId })
  await until(() => expect(receiver.received).toHaveLength(6))
  await until(async () =>
    expect((await viewOf(webhookId)).deliveries.map(({ state }) => state)).toEqual([
      DeliveryState.DELIVERED,
      DeliveryState.DELIVERED,
      DeliveryState.DELIVERED,
      DeliveryState.PENDING,
    ]),
  )
})

test('a redirect is not followed, and a private address is not called', async () => {
  const { webhookId } = await add()
  receiver.answer = () => ({ status: 302, headers: { location: `${receiver.url}/elsewhere` } })
  await hooks().testWebhook({ webhookId })
  await until(async () => expect((await viewOf(webhookId)).deliveries[0]).toMatchObject({ status: 302, attempts: 1 }))
  expect(receiver.received).toHaveLength(1)
  for (const host of ['10.0.0.1', '169.254.169.254', '[fd00::1]', '[::ffff:192.168.0.1]']) {
    const { webhookId: other } = await add(allEvents, `https://${host}/latest`)
    await hooks().testWebhook({ webhookId: other })
    await until(async () => expect((await viewOf(other)).problem).toContain('gave no answer over HTTP'))
    await hooks().removeWebhook({ webhookId: other })
  }
})

test('a delivery is repeated with the same id, and given up after days without turning off what works', async () => {
  const { webhookId } = await add()
  const { deliveryId } = await hooks().testWebhook({ webhookId })
  await until(async () => expect((await viewOf(webhookId)).deliveries[0]!.state).toBe(DeliveryState.DELIVERED))
  receiver.answer = ({ id }) => ({ status: id === deliveryId ? 500 : 200 })
  await hooks().repeatDelivery({ webhookId, deliveryId })
  await until(() => expect(receiver.received).toHaveLength(2))
  expect(receiver.received.map(({ id }) => id)).toEqual([deliveryId, deliveryId])
  await until(async () => expect((await viewOf(webhookId)).failures).toBe(1))
  await hooks().pauseWebhook({ webhookId, paused: true })
  expect(await refusalOf(hooks().repeatDelivery({ webhookId, deliveryId }))).toContain('until the webhook is resumed')
  await system.database.sql(`update webhook set state = 'on' where uuid = $1`, [webhookId])
  await hooks().repeatDelivery({ webhookId, deliveryId })
  await until(async () => expect((await viewOf(webhookId)).failures).toBe(2))
  await system.database.sql(`update webhook_delivery set first_attempt = now() - interval '4 days' where ended is null`)
  await hurry()
  await until(async () => expect((await viewOf(webhookId)).deliveries[0]!.state).toBe(DeliveryState.GIVEN_UP))
  expect((await viewOf(webhookId)).state).toBe(WebhookState.FAILING)
})

test('a receiver that fails for days is turned off', async () => {
  const { webhookId } = await add()
  receiver.answer = () => 'cut'
  await hooks().testWebhook({ webhookId })
  await until(async () => expect((await viewOf(webhookId)).failures).toBe(1))
  await system.database.sql(`with d as (update webhook_delivery set first_attempt = now() - interval '4 days')
    update webhook set failing_since = now() - interval '4 days'`)
  await hurry()
  await until(async () => expect((await viewOf(webhookId)).state).toBe(WebhookState.OFF))
  expect((await viewOf(webhookId)).problem).toMatch(/^It failed for 3 days\. The last problem: /)
})

test('an erasure is told with the learner, who is forgotten when it was told', async () => {
  const { webhookId } = await add(['learner.erased'])
  const { key } = await system.admin.identity.issueCredential({ gameId })
  const ann = player('ann')
  const statements = [statement({ actor: ann })]
  await system.connections[0]!.as((await system.game()).authorization).statements.storeStatements({
    json: Buffer.from(JSON.stringify(statements)),
  })
  const { token } = await system.admin.identity.mintLaunchToken({ key, actor: JSON.stringify(ann) })
  await system.connections[0]!.as(`Bearer ${token}`).statements.storeStatements({
    json: Buffer.from(JSON.stringify([statement({ actor: ann })])),
  })
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(ann), preview: true })
  expect(await system.database.sql('select 1 from webhook_event where type = $1', ['learner.erased'])).toEqual([])
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(ann) })
  await until(() => expect(receiver.types()).toEqual(['learner.erased']))
  expect(receiver.received[0]!.event.data).toMatchObject({ gameId, learner: { account: ann.account } })
  await until(async () => expect((await viewOf(webhookId)).deliveries[0]!.state).toBe(DeliveryState.DELIVERED))
  const [{ data }] = (await system.database.sql<{ data: object }>('select data from webhook_event where type = $1', [
    'learner.erased',
  ])) as [{ data: object }]
  expect(data).toEqual({ gameId })
})

test('a webhook that is removed before it was told of an erasure leaves no learner behind', async () => {
  const { webhookId } = await add(['learner.erased'])
  receiver.answer = () => 'cut'
  const { key } = await system.admin.identity.issueCredential({ gameId })
  const bob = player('bob')
  const { token } = await system.admin.identity.mintLaunchToken({ key, actor: JSON.stringify(bob) })
  await system.connections[0]!.as(`Bearer ${token}`).statements.storeStatements({
    json: Buffer.from(JSON.stringify([statement({ actor: bob })])),
  })
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(bob) })
  const learners = () => system.database.sql("select data ? 'learner' as named from webhook_event")
  expect(await learners()).toContainEqual({ named: true })
  await hooks().removeWebhook({ webhookId })
  expect(await learners()).not.toContainEqual({ named: true })
})

test('what is wrong with the settings is said, and a sixth webhook is refused', async () => {
  const settings = { name: '', url: 'ftp://example.org', events: ['all'], verb: 'x' }
  const why = await refusalOf(hooks().addWebhook({ gameId, settings }))
  expect(why).toContain('settings.url: must be an address')
  for (const url of ['https://ann:secret@example.org', 'https://example.org/#x', 'javascript:alert(1)', ''])
    expect(await refusalOf(hooks().addWebhook({ gameId, settings: { url, events: ['review.approved'] } }))).toContain(
      'settings.url',
    )
  for (let n = 0; n < 5; n++) await add()
  expect(await refusalOf(add())).toContain('5 webhooks at most')
})

test('another studio sees nothing and changes nothing', async () => {
  const { webhookId } = await add()
  const { deliveryId } = await hooks().testWebhook({ webhookId })
  const stranger = (await addStudio(system, 'Wolf')).on().webhooks
  const settings = { url: receiver.url, events: ['review.approved'] }
  const before = await system.database.sql('select uuid, secret, url, state from webhook')
  const asked = [
    stranger.listWebhooks({ gameId }),
    stranger.getWebhook({ webhookId }),
    stranger.addWebhook({ gameId, settings }),
    stranger.changeWebhook({ webhookId, settings }),
    stranger.rotateWebhookSecret({ webhookId }),
    stranger.testWebhook({ webhookId }),
    stranger.pauseWebhook({ webhookId, paused: true }),
    stranger.getDelivery({ webhookId, deliveryId }),
    stranger.repeatDelivery({ webhookId, deliveryId }),
    stranger.removeWebhook({ webhookId }),
  ]
  for (const why of await Promise.all(asked.map(refusalOf))) expect(why).toMatch(/^There is no such (?:webhook|game)/)
  expect(await refusalOf(stranger.listWebhooks({}))).toContain('gameId')
  expect(await system.database.sql('select uuid, secret, url, state from webhook')).toEqual(before)
})
