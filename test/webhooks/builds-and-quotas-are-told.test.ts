import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { WebhookState } from '../../gen/lrs/v1/webhooks_pb.js'
import { quiz, startPackages, type Packages } from '../packages/packages.ts'
import type { Studio } from '../support/studios.ts'
import { startReceiver } from './receiver.ts'

let packages: Packages
let receiver: Awaited<ReturnType<typeof startReceiver>>
let studio: Studio
let gameId: string
beforeAll(async () => {
  packages = await startPackages()
})
afterAll(() => packages.close())
beforeEach(async () => {
  receiver = await startReceiver()
  ;({ studio, gameId } = await packages.next())
})
afterEach(() => receiver.close())

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 15_000, interval: 20 })
const add = (...events: string[]) =>
  studio.on().webhooks.addWebhook({ gameId, settings: { name: 'Ours', url: receiver.url, events } })
const events = () => receiver.received.map(({ event: { type, data } }) => ({ type, data }))

test('a build that was unpacked is told with its id, and one that broke a rule with the reason', async () => {
  await add('build.uploaded', 'build.refused')
  const zip = quiz()
  const buildId = await packages.stage(zip)
  await until(() => expect(receiver.received).toHaveLength(1))
  const about = { gameId, kind: 'browser', fileName: 'quiz.zip' }
  const expanded = expect.any(Number)
  const uploaded = { ...about, buildId, size: zip.length, files: 2, expanded, channel: 'live', version: '' }
  expect(events()).toEqual([{ type: 'build.uploaded', data: uploaded }])
  const broken = Buffer.from('no zip at all')
  const why = await packages.stage(broken).then(
    () => '',
    (error: Error) => error.message,
  )
  await until(() => expect(receiver.received).toHaveLength(2))
  const reason = String(receiver.received[1]!.event.data['reason'])
  expect(why).toContain(reason)
  expect(reason).toMatch(/zip/)
  expect(events()[1]).toEqual({ type: 'build.refused', data: { ...about, size: broken.length, reason } })
  expect((await packages.view()).staged!.buildId).toBe(buildId)
})

test('storage that is nearly used up is told to every game of the studio, once', async () => {
  await add('quota.nearly_used')
  const { email } = studio
  await packages.system.admin.quotas.setQuota({ studio: email, name: 'storage', limit: BigInt(quiz().length) })
  await packages.stage(quiz())
  await until(() => expect(receiver.received).toHaveLength(1))
  expect(events()[0]).toMatchObject({ type: 'quota.nearly_used', data: { gameId, percent: expect.any(Number) } })
  expect(receiver.received[0]!.event.data['percent']).toBeGreaterThanOrEqual(90)
})

test('the webhook of a game without a studio is sent, too', async () => {
  const { system } = packages
  const { gameId: alone } = await system.admin.identity.createGame({ name: 'Alone' })
  const { webhooks } = system.admin
  const settings = { name: 'Ours', url: receiver.url, events: ['statements.stored'] }
  const { webhook } = await webhooks.addWebhook({ gameId: alone, settings })
  const { webhookId } = webhook!
  const { deliveryId } = await webhooks.testWebhook({ webhookId })
  await until(() => expect(receiver.received.map(({ id }) => id)).toEqual([deliveryId]))
  await until(async () => expect((await webhooks.getWebhook({ webhookId })).webhook!.pending).toBe(0))
  receiver.answer = () => ({ status: 410 })
  await webhooks.testWebhook({ webhookId })
  await until(async () => expect((await webhooks.getWebhook({ webhookId })).webhook!.state).toBe(WebhookState.OFF))
  await webhooks.removeWebhook({ webhookId })
})
