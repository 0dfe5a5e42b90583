import { Code } from '@connectrpc/connect'
import { expect, onTestFinished, test } from 'vitest'
import { furtherLimits } from '../../shared/limits.ts'
import { addStudio } from '../support/studios.ts'
import { startSystem } from '../support/system.ts'
import { targetLrs } from '../support/target-lrs.ts'
import { startReceiver } from '../webhooks/receiver.ts'

test('a studio cannot look for open ports by adding, changing and testing forwards and webhooks', async () => {
  const system = await startSystem()
  onTestFinished(() => system.close())
  const [fox, owl] = [await addStudio(system, 'Fox'), await addStudio(system, 'Owl')]
  const target = await targetLrs()
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const settings = { name: 'Scan', endpoint: target.endpoint, version: '1.0.3' }
  const gameOf = async ({ id }: { id: number }) => {
    const game = await system.game()
    await system.database.sql('update game set studio = $1 where uuid = $2', [id, game.id])
    return game.id
  }
  const [gameId, other] = [await gameOf(fox), await gameOf(owl)]
  const { forwards, webhooks } = fox.on()
  const hook = { name: 'Scan', url: receiver.url, events: ['review.submitted'] }
  const since = '2000-01-01T00:00:00Z'
  /** The address with another port. */
  const next = (address: string, n: number) => address.replace(/:\d+/, `:${9000 + n}`)
  const rounds = furtherLimits['new-endpoint'].limit / 6
  for (let n = 0; n < rounds; n++) {
    const { forwardId } = (await forwards.addForward({ gameId, settings, since })).forward!
    await forwards.changeForward({ forwardId, settings: { ...settings, endpoint: next(target.endpoint, n) } })
    expect((await forwards.testForward({ gameId, settings })).problem).toBe('')
    await forwards.removeForward({ forwardId })
    const { webhookId } = (await webhooks.addWebhook({ gameId, settings: hook, since })).webhook!
    await webhooks.changeWebhook({ webhookId, settings: { ...hook, url: next(receiver.url, n) } })
    // the same address once more is no new one
    await webhooks.changeWebhook({ webhookId, settings: { ...hook, url: next(receiver.url, n), name: 'Other' } })
    await webhooks.testWebhook({ webhookId })
    if (n < rounds - 1) await webhooks.removeWebhook({ webhookId })
  }
  const { webhookId } = (await webhooks.listWebhooks({ gameId })).webhooks[0]!
  for (const refused of [
    () => forwards.addForward({ gameId, settings, since }),
    () => forwards.testForward({ gameId, settings }),
    () => webhooks.addWebhook({ gameId, settings: hook }),
    () => webhooks.changeWebhook({ webhookId, settings: { ...hook, url: next(receiver.url, 500) } }),
    () => webhooks.testWebhook({ webhookId }),
  ])
    await expect(refused()).rejects.toMatchObject({ code: Code.ResourceExhausted })
  expect((await owl.on().forwards.testForward({ gameId: other, settings })).problem).toBe('')
})
