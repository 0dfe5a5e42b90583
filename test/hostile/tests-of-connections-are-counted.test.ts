import { Code } from '@connectrpc/connect'
import { expect, onTestFinished, test } from 'vitest'
import { furtherLimits } from '../../shared/limits.ts'
import { addStudio } from '../support/studios.ts'
import { startSystem } from '../support/system.ts'
import { targetLrs } from '../support/target-lrs.ts'
import { startReceiver } from '../webhooks/receiver.ts'

test('a studio cannot look for open ports with tests of forwards and webhooks', async () => {
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
  const { limit } = furtherLimits['test-connection']
  for (let n = 1; n < limit; n++) {
    const { problem } = await fox.on().forwards.testForward({ gameId, settings })
    expect(problem).toBe('')
  }
  const hook = { name: 'Scan', url: receiver.url, events: ['review.submitted'] }
  const { webhookId } = (await fox.on().webhooks.addWebhook({ gameId, settings: hook })).webhook!
  await fox.on().webhooks.testWebhook({ webhookId })
  const code = { code: Code.ResourceExhausted }
  await expect(fox.on().forwards.testForward({ gameId, settings })).rejects.toMatchObject(code)
  await expect(fox.on().webhooks.testWebhook({ webhookId })).rejects.toMatchObject(code)
  expect((await owl.on().forwards.testForward({ gameId: other, settings })).problem).toBe('')
})
