import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { statement } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { startReceiver } from './receiver.ts'

/** Milliseconds between two looks: so long that what comes in half of it was not found by a look. */
const webhookMs = 10_000

let system: System
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  system = await startSystem({ cores: 1, gateways: 0, webhookMs })
  receiver = await startReceiver()
})
afterAll(async () => {
  await system.close()
  await receiver.close()
})

test('what a core stores it tells at once, not at its next look', async () => {
  const game = await system.game()
  const send = async () => {
    const one = statement()
    await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify([one])) })
    return one.id
  }
  const settings = { name: 'Ours', url: receiver.url, events: ['statements.stored'] }
  await system.admin.webhooks.addWebhook({ gameId: game.id, settings })
  const ids = [await send()]
  const arrive = (timeout: number) =>
    vi.waitFor(() => expect(receiver.statements()).toEqual(ids), { timeout, interval: 20 })
  // the look that finds the webhook itself
  await arrive(3 * webhookMs)
  // its turn is over, and so is the look after it
  await vi.waitFor(async () =>
    expect(
      await system.database.sql('select 1 from webhook where leased is null and last_delivered is not null'),
    ).toHaveLength(1),
  )
  await new Promise((done) => setTimeout(done, 500))
  ids.push(await send())
  await arrive(webhookMs / 2)
})
