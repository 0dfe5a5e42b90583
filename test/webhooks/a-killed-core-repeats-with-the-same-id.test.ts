import { expect, onTestFinished, test, vi } from 'vitest'
import { statements } from '../support/statements.ts'
import { startProcesses } from '../support/processes.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'
import { isSignedWith, startReceiver } from './receiver.ts'

test('a core that is killed between sending and noting sends the same once more', async () => {
  const receiver = await startReceiver()
  const system = await startProcesses({ gateways: 0, env: { LRS_OUTGOING_ALLOW: '127.0.0.0/8' } })
  onTestFinished(async () => {
    receiver.let()
    await Promise.all([system.close(), receiver.close()])
  })
  const game = await system.game()
  const admin = () => system.connections[0]!.as(bearer(tokens.admin)).webhooks
  const settings = { name: 'Ours', url: receiver.url, events: ['statements.stored'] }
  const { webhook, secret } = await admin().addWebhook({ gameId: game.id, settings })
  receiver.answer = () => 'nothing'
  const list = statements(70)
  await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 20_000)
  await system.crashCore(0)
  receiver.answer = () => ({ status: 204 })
  // the lease of the core that died
  await system.database.sql('update webhook set leased = now()')
  await vi.waitFor(() => expect(receiver.received).toHaveLength(3), 30_000)
  const [first, again, rest] = receiver.received
  expect([again!.id, again!.body.toString()]).toEqual([first!.id, first!.body.toString()])
  expect(rest!.id).not.toBe(first!.id)
  expect(receiver.received.every((one) => isSignedWith(secret, one))).toBe(true)
  expect(receiver.statements().slice(50)).toEqual(list.map(({ id }) => id))
  const { webhookId } = webhook!
  await vi.waitFor(async () => expect((await admin().getWebhook({ webhookId })).webhook!.pending).toBe(0), 10_000)
})
