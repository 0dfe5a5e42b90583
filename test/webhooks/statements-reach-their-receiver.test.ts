import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { WebhookState } from '../../gen/lrs/v1/webhooks_pb.js'
import { webhooks as limits } from '../../shared/limits.ts'
import type { Game } from '../support/games.ts'
import { statement, statements, verb } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { startReceiver } from './receiver.ts'

let system: System
let receiver: Awaited<ReturnType<typeof startReceiver>>
let game: Game
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0, webhookMs: 100 })
})
afterAll(() => system.close())
beforeEach(async () => {
  receiver = await startReceiver()
  game = await system.game()
})
afterEach(async () => {
  for (const { webhookId } of (await hooks().listWebhooks({})).webhooks) await hooks().removeWebhook({ webhookId })
  receiver.let()
  await receiver.close()
})

const hooks = () => system.admin.webhooks
const until = (check: () => unknown, timeout = 20_000) => vi.waitFor(check, { timeout, interval: 20 })
const send = (list: readonly object[], of = game) =>
  of.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
const hurry = () =>
  system.database.sql(`with d as (update webhook_delivery set next_attempt = now() where ended is null)
    update webhook set next_attempt = now()`)
async function add(settings: object = {}, of = game, since = '') {
  const all = { name: 'Ours', url: receiver.url, events: ['statements.stored'], ...settings }
  return (await hooks().addWebhook({ gameId: of.id, settings: all, since })).webhook!.webhookId
}
const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id)

test('every statement comes in order and byte for byte, in batches within the limits', async () => {
  await send(statements(3))
  await add()
  const list = statements(130, { result: { score: { raw: 1.5 } } })
  await send(list)
  await until(() => expect(receiver.statements()).toEqual(idsOf(list)))
  for (const { event, body } of receiver.received) {
    expect((event.data['statements'] as object[]).length).toBeLessThanOrEqual(limits.statements)
    expect(body.length).toBeLessThan(limits.bytes + 1_000)
  }
  const { json } = await game.rpc().statements.queryStatements({ ascending: true, limit: 500 })
  const text = receiver.received.map(({ body }) => body.toString()).join()
  for (const one of json.slice(3)) expect(text).toContain(Buffer.from(one).toString())
  expect(receiver.received[0]!.event.data).toMatchObject({ gameId: game.id, tooLarge: [] })
})

test('none is missed and none is doubled by id when the receiver dies again and again', async () => {
  await add()
  let calls = 0
  receiver.answer = () => (++calls % 3 === 0 ? { status: 200 } : calls % 3 === 1 ? 'cut' : { status: 503 })
  const all = []
  for (let round = 0; round < 6; round++) {
    const list = statements(40)
    all.push(...idsOf(list))
    await send(list)
    await hurry()
  }
  await until(async () => {
    await hurry()
    expect(new Set(receiver.statements()).size).toBe(all.length)
  })
  const batches = new Map<string, Buffer>()
  for (const { id, body } of receiver.received) {
    expect(batches.get(id)?.toString() ?? body.toString()).toBe(body.toString())
    batches.set(id, body)
  }
  const once = [...batches.values()].flatMap((body) => idsOf(JSON.parse(body.toString()).data.statements))
  expect(once).toEqual(all)
})

test('filters choose, and a change of the filter holds from now on', async () => {
  const webhookId = await add({ verb: verb('won').id })
  const [lost, won] = [statement({ verb: verb('lost') }), statement({ verb: verb('won') })]
  await send([lost, won])
  await until(() => expect(receiver.statements()).toEqual([won.id]))
  await hooks().changeWebhook({
    webhookId,
    settings: { url: receiver.url, events: ['statements.stored'], activity: 'https://a.example/1' },
  })
  const there = statement({ object: { id: 'https://a.example/1' } })
  await send([statement(), there])
  await until(() => expect(receiver.statements()).toEqual([won.id, there.id]))
})

test('a webhook begins in the past if it is asked to, and where it was after a pause', async () => {
  const first = statements(60)
  await send(first)
  const webhookId = await add({}, game, '2020-01-01T00:00:00Z')
  await until(() => expect(receiver.statements()).toEqual(idsOf(first)))
  await hooks().pauseWebhook({ webhookId, paused: true })
  const second = statements(2)
  await send(second)
  await new Promise((done) => setTimeout(done, 500))
  expect(receiver.statements()).toHaveLength(60)
  await hooks().pauseWebhook({ webhookId, paused: false })
  await until(() => expect(receiver.statements()).toEqual(idsOf([...first, ...second])))
})

test('a statement that is larger than a batch is named, and the others come', async () => {
  await add()
  const large = statement({ result: { response: 'x'.repeat(limits.bytes) } })
  const [before, after] = [statement(), statement()]
  await send([before, large, after])
  await until(() => expect(receiver.statements()).toEqual([before.id, after.id]))
  expect(receiver.received.flatMap(({ event }) => event.data['tooLarge'])).toEqual([large.id])
})

test('a batch that fails for days turns the webhook off and is sent when it goes on', async () => {
  const webhookId = await add()
  receiver.answer = () => ({ status: 500 })
  const list = statements(2)
  await send(list)
  await until(async () => expect((await hooks().getWebhook({ webhookId })).webhook!.failures).toBe(1))
  await system.database.sql(`update webhook_delivery set first_attempt = now() - interval '4 days'`)
  await hurry()
  await until(async () => expect((await hooks().getWebhook({ webhookId })).webhook!.state).toBe(WebhookState.OFF))
  receiver.answer = () => ({ status: 200 })
  const calls = receiver.received.length
  await hooks().pauseWebhook({ webhookId, paused: false })
  await until(() => expect(receiver.received).toHaveLength(calls + 1))
  expect(idsOf(receiver.received.at(-1)!.event.data['statements'] as { id: string }[])).toEqual(idsOf(list))
})

test('receivers that never answer delay nobody else', async () => {
  const dead = await startReceiver()
  dead.answer = () => 'nothing'
  try {
    for (let n = 0; n < 5; n++) await add({ url: dead.url })
    await send(statements(1))
    // four of one host at a time, on each of two cores
    await until(() => expect(dead.received.length).toBeGreaterThanOrEqual(4))
    const other = await system.game()
    await add({}, other)
    const list = statements(20)
    const began = performance.now()
    await send(list, other)
    await until(() => expect(receiver.statements()).toEqual(idsOf(list)))
    expect(performance.now() - began).toBeLessThan(5_000)
  } finally {
    dead.let()
    await dead.close()
  }
})

test('what was erased meanwhile is not sent again', async () => {
  const webhookId = await add()
  const ann = { objectType: 'Agent', account: { homePage: 'https://a.example', name: 'zoe' } }
  const list = [statement({ actor: ann }), statement()]
  await send(list)
  await until(() => expect(receiver.statements()).toEqual(idsOf(list)))
  const { id: deliveryId } = receiver.received[0]!
  await until(async () => expect((await hooks().getWebhook({ webhookId })).webhook!.pending).toBe(0))
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(ann) })
  await hooks().repeatDelivery({ webhookId, deliveryId })
  await until(() => expect(receiver.received).toHaveLength(2))
  expect(receiver.received[1]!.id).toBe(deliveryId)
  expect(receiver.statements()).toEqual([...idsOf(list), list[1]!.id])
  expect(receiver.received[1]!.body.toString()).not.toContain('"zoe"')
})
