import type { Worker } from 'node:worker_threads'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { addressGuard } from '../../core/process/outgoing/address-guard.ts'
import { outgoing } from '../../core/process/outgoing/outgoing.ts'
import { webCall } from '../../core/process/outgoing/web-call.ts'
import { deliveries as limits } from '../../shared/limits.ts'
import { statement } from '../support/statements.ts'
import { startSystem } from '../support/system.ts'
import { targetLrs } from '../support/target-lrs.ts'
import { startReceiver } from '../webhooks/receiver.ts'

const { firstPause } = limits
afterEach(() => void Object.assign(limits, { firstPause }))
const patient = { timeout: 20_000, interval: 20 }

/** Threads that are started from now on. */
function threads(): Worker[] {
  const started: Worker[] = []
  const note = (worker: Worker) => started.push(worker)
  process.on('worker', note)
  onTestFinished(() => void process.off('worker', note))
  return started
}

// nobody can connect to these over TCP: the system refuses it at once, as it does where there is no route
test.each([[['255.255.255.255']], [['ff02::1']], [['255.255.255.255', 'ff02::1']]])(
  'a name with %j, whose connection fails at once, fails like any other',
  async (addresses) => {
    const way = { guard: addressGuard(['0.0.0.0/0', '::/0']), seconds: 5, lookUp: async () => addresses }
    for (const url of ['https://six.example/', 'http://six.example/'])
      await expect(webCall({ url }, way)).rejects.toMatchObject({ failure: 'failed' })
  },
)

test('calls under way when the thread ends have broken off, and the next one has a new thread', async () => {
  const started = threads()
  const faults: string[] = []
  const calls = outgoing({ allowed: ['127.0.0.1'], seconds: 5, mailSeconds: 5 }, (fault) => faults.push(fault))
  onTestFinished(() => calls.close())
  const target = await targetLrs(() => 'hang')
  const under = calls.guardedFetch({ url: target.endpoint }).catch((error: unknown) => error)
  await vi.waitFor(() => expect(target.requests).toHaveLength(1), patient)
  await started[0]!.terminate()
  expect(await under).toMatchObject({ failure: 'broke off' })
  expect(faults).toHaveLength(1)
  target.how.answer = () => ({ status: 204 })
  expect((await calls.guardedFetch({ url: target.endpoint })).status).toBe(204)
})

test('a webhook and a forward whose calls broke off go on, and nothing is noted of their receivers', async () => {
  Object.assign(limits, { firstPause: 0.05 })
  const system = await startSystem({ forwardMs: 50, webhookMs: 100 })
  onTestFinished(() => system.close())
  const started = threads()
  const game = await system.game()
  const target = await targetLrs(() => 'hang')
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  receiver.answer = () => 'nothing'
  await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify([statement()])) })
  const since = '2000-01-01T00:00:00Z'
  const { forwards, webhooks } = system.admin
  const settings = { name: 'Partner', endpoint: target.endpoint, version: '1.0.3' }
  const { forwardId } = (await forwards.addForward({ gameId: game.id, settings, since })).forward!
  const hook = { name: 'Ours', url: receiver.url, events: ['statements.stored'] }
  const { webhookId } = (await webhooks.addWebhook({ gameId: game.id, settings: hook, since })).webhook!
  await vi.waitFor(() => expect([target.posts().length, receiver.received.length]).toEqual([1, 1]), patient)
  expect(started).toHaveLength(1)
  await started[0]!.terminate()
  // the second attempt waits as well: what is noted until then is of the first
  await vi.waitFor(() => expect([target.posts().length, receiver.received.length]).toEqual([2, 2]), patient)
  expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id)
  expect((await forwards.getForward({ forwardId })).forward).toMatchObject({ failures: 0, problem: '' })
  const { webhook, deliveries } = await webhooks.getWebhook({ webhookId })
  expect(webhook).toMatchObject({ failures: 0, problem: '' })
  expect(deliveries[0]).toMatchObject({ attempts: 0, status: 0, problem: '' })
})
