import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { forwards as limits } from '../../shared/limits.ts'
import { addStudio } from '../support/studios.ts'
import { player, statement, statements } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { targetLrs } from '../support/target-lrs.ts'
import { startReceiver } from '../webhooks/receiver.ts'

let system: System
const { turnSeconds } = limits
beforeAll(async () => {
  system = await startSystem({ forwardMs: 50, webhookMs: 100 })
})
afterEach(() => void Object.assign(limits, { turnSeconds }))
afterAll(() => system.close())

const patient = { timeout: 60_000, interval: 20 }
const eve = player('eve')

async function forward(list: object[], endpoint: string) {
  const game = await system.game()
  await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
  const settings = { name: 'Partner', endpoint, version: '1.0.3' }
  const added = await system.admin.forwards.addForward({ gameId: game.id, settings, since: '2000-01-01T00:00:00Z' })
  const { forwardId } = added.forward!
  return { game, forwardId, get: () => system.admin.forwards.getForward({ forwardId }) }
}

test('a target that refuses each statement slowly has its turn and no more, and loses none', async () => {
  Object.assign(limits, { turnSeconds: 0.2 })
  const target = await targetLrs(() => ({ status: 400, text: 'no' }))
  target.how.wait = 50
  const list = statements(20)
  const { get } = await forward(list, target.endpoint)
  let first = 0n
  await vi.waitFor(async () => {
    first = (await get()).forward!.setAside
    expect(first).toBeGreaterThan(0n)
  }, patient)
  // what is done is written down in the middle of the batch, and the rest follows
  expect(first).toBeLessThan(20n)
  await vi.waitFor(async () => expect((await get()).forward!.setAside).toBe(20n), patient)
})

test('a batch under way when its learner is erased is not sent on, and the list tells of the erasure', async () => {
  const answered = Promise.withResolvers<void>()
  const target = await targetLrs(() => (answered.resolve(), { status: 400, text: 'eve is odd' }))
  const gate = Promise.withResolvers<void>()
  target.how.gate = gate.promise
  const { get } = await forward([statement({ actor: eve }), statement({ actor: eve })], target.endpoint)
  await vi.waitFor(() => expect(target.posts()).toHaveLength(1), patient)
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(eve) })
  gate.resolve()
  await answered.promise
  // comes after what the refusal of the batch leads to
  const later = await forward([statement()], target.endpoint)
  await vi.waitFor(async () => expect((await later.get()).forward!.setAside).toBe(1n), patient)
  await vi.waitFor(async () => expect((await get()).forward!.behindSeconds).toBe(0n), patient)
  const { setAside } = await get()
  expect(setAside.map(({ reason }) => reason).join()).toMatch(/^A learner was erased here/)
  expect(JSON.stringify(setAside, (_, value) => String(value))).not.toContain('eve is odd')
  // the one that was on its way has arrived; its halves do not
  expect(target.posts().filter(({ body }) => body.includes('eve'))).toHaveLength(1)
})

test('the studio is suspended or the game deleted in the middle of a turn: nothing more is sent', async () => {
  const fox = await addStudio(system, 'Fox')
  const target = await targetLrs()
  target.how.wait = 300
  const { game, forwardId } = await forward([statement()], target.endpoint)
  await system.database.sql('update game set studio = $1 where uuid = $2', [fox.id, game.id])
  await vi.waitFor(() => expect(target.posts()).toHaveLength(1), patient)
  const { forwards } = system.cores[0]!.store
  await vi.waitFor(async () => {
    await system.admin.forwards.sendAgain({ forwardId, since: '2000-01-01T00:00:00Z' })
    const leased = await system.database.sql('select id, attempts from forward where uuid = $1 and leased > now()', [
      forwardId,
    ])
    expect(leased).toHaveLength(1)
  }, patient)
  await system.admin.operator.suspendStudio({ studio: fox.slug, suspended: true, note: 'no' })
  const [row] = await system.database.sql<{ id: number; attempts: number }>(
    'select id, attempts from forward where uuid = $1',
    [forwardId],
  )
  expect(await forwards.renew(row as never, 60)).toBe(false)
  await system.admin.operator.suspendStudio({ studio: fox.slug, suspended: false })
  expect(await forwards.renew(row as never, 60)).toBe(true)
})

test('webhooks of one host that always have something to send let others have their turn', async () => {
  const receiver = await startReceiver()
  const add = async (events: number) => {
    const game = await system.game()
    const settings = { name: 'Ours', url: receiver.url, events: ['review.submitted'] }
    const { webhook } = await system.admin.webhooks.addWebhook({ gameId: game.id, settings })
    const { webhookId } = webhook!
    const text = `with e as (insert into webhook_event (game, type, data)
        select w.game, 'review.submitted', jsonb_build_object('of', w.uuid) from webhook w, generate_series(1, $2)
        where w.uuid = $1 returning id)
      insert into webhook_delivery (webhook, event) select w.id, e.id from e, webhook w where w.uuid = $1`
    return { webhookId, fill: () => system.database.sql(text, [webhookId, events]) }
  }
  const busy = [await add(200), await add(200), await add(200), await add(200)]
  for (const { fill } of busy) await fill()
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(4), patient)
  const late = await add(1)
  await late.fill()
  const ofLate = () => receiver.received.findIndex(({ event }) => event.data['of'] === late.webhookId)
  await vi.waitFor(() => expect(ofLate()).toBeGreaterThan(0), patient)
  const before = receiver.received.slice(0, ofLate())
  for (const { webhookId } of busy)
    expect(before.filter(({ event }) => event.data['of'] === webhookId).length).toBeLessThan(150)
  await receiver.close()
})

test('what a receiver answers about a learner who is erased meanwhile is not kept', async () => {
  const receiver = await startReceiver()
  const game = await system.game()
  receiver.answer = ({ body }) => ({ status: 500, body: body.includes('"eve"') ? 'eve is odd' : 'no' })
  const json = Buffer.from(JSON.stringify([statement({ actor: eve })]))
  await game.rpc().statements.storeStatements({ json })
  const settings = { name: 'Ours', url: receiver.url, events: ['statements.stored'] }
  const since = '2000-01-01T00:00:00Z'
  let erased = Promise.resolve() as Promise<unknown>
  // the answer comes when the learner is erased
  const { answer } = receiver
  receiver.answer = (one) => {
    receiver.answer = answer
    erased = system.admin.admin.eraseLearner({ agent: JSON.stringify(eve) }).finally(() => receiver.let())
    void one
    return 'nothing'
  }
  const { webhook } = await system.admin.webhooks.addWebhook({ gameId: game.id, settings, since })
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(1), patient)
  await erased
  expect(receiver.received[1]!.body.toString()).not.toContain('eve')
  expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id)
  const { deliveries } = await system.admin.webhooks.getWebhook({ webhookId: webhook!.webhookId })
  expect(deliveries.map(({ answer }) => answer).join()).not.toContain('eve')
  await receiver.close()
})
