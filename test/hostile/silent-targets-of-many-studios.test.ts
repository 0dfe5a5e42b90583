import { expect, onTestFinished, test, vi } from 'vitest'
import { addStudio } from '../support/studios.ts'
import { startSystem } from '../support/system.ts'
import { startReceiver } from '../webhooks/receiver.ts'

const patient = { timeout: 20_000, interval: 20 }

test('the webhook of a studio is called while twenty others wait for silent receivers', async () => {
  const system = await startSystem({ webhookMs: 100 })
  onTestFinished(() => system.close())
  const { sql } = system.database
  const good = await startReceiver()
  const silent = await Promise.all(Array.from({ length: 80 }, () => startReceiver()))
  onTestFinished(() => void Promise.all([good, ...silent].map((one) => one.close())))
  const { webhooks } = system.admin
  async function hookOf(studio: number, url: string): Promise<string> {
    const game = await system.game()
    await sql('update game set studio = $1 where uuid = $2', [studio, game.id])
    const settings = { name: 'Ours', url, events: ['review.submitted'] }
    return (await webhooks.addWebhook({ gameId: game.id, settings })).webhook!.webhookId
  }
  const slow: string[] = []
  for (const one of silent) one.answer = () => 'nothing'
  for (let n = 0; n < 20; n++) {
    const { id } = await addStudio(system, 'Slow')
    for (const { url } of silent.slice(4 * n, 4 * n + 4)) slow.push(await hookOf(id, url))
  }
  const last = await hookOf((await addStudio(system, 'Quick')).id, good.url)
  // all at once: a call that is not answered ends by itself after 20 s
  await Promise.all(slow.map((webhookId) => webhooks.testWebhook({ webhookId })))
  const waiting = () => silent.filter(({ received }) => received.length > 0).length
  await vi.waitFor(() => expect(waiting()).toBeGreaterThanOrEqual(20), patient)
  await webhooks.testWebhook({ webhookId: last })
  await vi.waitFor(() => expect(good.received).toHaveLength(1), patient)
  // none of the others has had its answer, or its end
  const [row] = await sql<{ ended: number }>(
    `select count(*)::int as ended from webhook_delivery d join webhook w on w.id = d.webhook
      where d.attempts > 0 and w.uuid <> $1`,
    [last],
  )
  expect(row!.ended).toBe(0)
})

test('of what is due, that of the studio which has used the least comes first', async () => {
  const system = await startSystem({ webhookMs: 60 * 60_000, forwardMs: 60 * 60_000 })
  onTestFinished(() => system.close())
  const { store } = system.cores[0]!
  const { forwards, webhooks } = system.admin
  const studios = [await addStudio(system, 'Much'), await addStudio(system, 'Little')]
  const ids: string[] = []
  const since = '2000-01-01T00:00:00Z'
  for (const { id } of studios) {
    const game = await system.game()
    await system.database.sql('update game set studio = $1 where uuid = $2', [id, game.id])
    const settings = { name: 'Ours', url: 'https://a.example/', events: ['review.submitted'] }
    const { webhookId } = (await webhooks.addWebhook({ gameId: game.id, settings })).webhook!
    await webhooks.testWebhook({ webhookId })
    const to = { name: 'Ours', endpoint: 'https://a.example/', version: '1.0.3' }
    const { forwardId } = (await forwards.addForward({ gameId: game.id, settings: to, since })).forward!
    ids.push(webhookId, forwardId)
  }
  const used = new Map([[`studio ${studios[0]!.id}`, 5_000]])
  expect((await store.webhookDeliveries.lease(60, [], used, []))?.webhookId).toBe(ids[2])
  expect((await store.forwards.lease(60, [], used))?.forwardId).toBe(ids[3])
  expect((await store.webhookDeliveries.lease(60, [], used, []))?.webhookId).toBe(ids[0])
  expect(await store.forwards.lease(60, [`studio ${studios[0]!.id}`], used)).toBeUndefined()
})
