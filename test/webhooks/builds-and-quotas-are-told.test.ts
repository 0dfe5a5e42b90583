import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { WebhookState } from '../../gen/lrs/v1/webhooks_pb.js'
import { quiz, startPackages, type Packages } from '../packages/packages.ts'
import type { Studio } from '../support/studios.ts'
import { raiseAlerts } from '../../core/analytics/command/raise-alerts.ts'
import { watchedOf } from '../../core/analytics/query/watched.ts'
import { statements } from '../support/statements.ts'
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

test('alerts are told once to members and webhooks, and come back when they are over; one that is off is not', async () => {
  const { system } = packages
  const { sql } = system.database
  const { store, notices } = system.cores[1]!
  const game = await system.game()
  await sql('update game set studio = $2 where uuid = $1', [game.id, studio.id])
  ;({ id: gameId } = game)
  await add('alert.raised')
  // the last of 14 days with a statement is 4 days ago
  const daily = statements(14)
  await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(daily)) })
  await sql(
    `update statement s set stored = stored - (n + 3) * 86400000000 from unnest($1::uuid[]) with ordinality d (id, n)
    where s.id = d.id`,
    [daily.map(({ id }) => id)],
  )
  const [row] = await sql<{ id: number }>('select id from game where uuid = $1', [game.id])
  const refuse = (count: number) =>
    sql(
      `insert into refusal_tally (game, day, kind, reason, status, request, path, message, count, last)
    values ($1, current_date, gen_random_uuid(), 'INVALID', 400, '', '', '', $2, now())`,
      [row!.id, count],
    )
  await refuse(60)
  const look = async () => {
    await store.gameWatches.add(100)
    await sql('update game_watch set due = now() where game = $1', [row!.id])
    const watch = await store.gameWatches.lease(60)
    if (!watch) return
    const watched = await watchedOf(store, watch, (step) => step())
    // as if another core had taken over from one that goes on after all
    await Promise.all([
      raiseAlerts({ store, notices }, watch, watched),
      raiseAlerts({ store, notices }, watch, watched),
    ])
  }
  const told = () => receiver.received.map(({ event }) => event.data['alert'])
  await studio.on().watching.setAlerts({ gameId, off: ['refused'] })
  await look()
  await until(() => expect(told()).toEqual(['stopped']))
  await studio.on().watching.setAlerts({ gameId, off: [] })
  await look()
  await until(() => expect(told()).toEqual(['stopped', 'refused']))
  const { notifications } = await studio.on().notices.listNotifications({})
  expect(notifications.map(({ kind, title }) => `${kind} ${title}`)).toEqual([
    expect.stringMatching(/^alert .*: more requests are refused$/),
    expect.stringMatching(/^alert .*: statements have stopped$/),
  ])
  const { alerts } = await studio.on().watching.getAlerts({ gameId })
  expect(alerts.map(({ kind, raised }) => [kind, raised > 0n])).toEqual([
    ['rate', false],
    ['stopped', true],
    ['refused', true],
  ])
  // over, and a week has gone by
  await sql('delete from refusal_tally where game = $1', [row!.id])
  await sql(`update game_watch set raised = '{"stopped": 1, "refused": 1}' where game = $1`, [row!.id])
  await look()
  await refuse(70)
  await look()
  await until(() => expect(told()).toEqual(['stopped', 'refused', 'refused']))
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
