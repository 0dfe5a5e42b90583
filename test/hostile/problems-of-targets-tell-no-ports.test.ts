import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { addressGuard } from '../../core/process/outgoing/address-guard.ts'
import { OutgoingError } from '../../core/process/outgoing/outgoing-error.ts'
import { webCall } from '../../core/process/outgoing/web-call.ts'
import { addStudio } from '../support/studios.ts'
import { statement } from '../support/statements.ts'
import { startSystem } from '../support/system.ts'
import { targetLrs } from '../support/target-lrs.ts'
import { startReceiver } from '../webhooks/receiver.ts'

/** A port that does this with each connection. */
async function listening(answer: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => answer(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('a studio reads one text, whatever stands behind an address that gives no answer over HTTP', async () => {
  const closed = await listening(() => {})
  const ports: Record<string, number> = {
    silent: await listening(() => {}),
    cut: await listening((socket) => socket.destroy()),
    reset: await listening((socket) => socket.once('data', () => socket.resetAndDestroy())),
    'no HTTP': await listening((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')),
    broken: await listening((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n12')),
    'another protocol': await listening((socket) =>
      socket.end('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ),
    closed: 1,
    // one of ours
    own: await listening(() => {}),
    private: closed,
    'no address': closed,
  }
  const guard = addressGuard(['127.0.0.1'], [ports['own']!])
  const lookUp = async (host: string) => {
    if (host === 'private.example') return ['10.0.0.1']
    if (host === 'none.example') throw new OutgoingError('failed', 'The name has no address.')
    return ['127.0.0.1']
  }
  const tell = async (what: string, protocol: string) => {
    const host = what === 'private' ? 'private.example' : what === 'no address' ? 'none.example' : 'a.example'
    const url = `${protocol}://${host}:${ports[what]}/`
    const error = await webCall({ url }, { guard, seconds: 0.5, lookUp }).catch((failure: unknown) => failure)
    return (error as OutgoingError).told.replace(new URL(url).host, 'HOST')
  }
  const all = await Promise.all(Object.keys(ports).map((what) => tell(what, 'https')))
  expect(new Set(all).size).toBe(1)
  // without TLS: the network is allowed or not, and nothing else
  const plain = await Promise.all(Object.keys(ports).map((what) => tell(what, 'http')))
  expect(new Set(plain).size).toBe(2)
  expect(new Set([await tell('private', 'http'), await tell('no address', 'http')]).size).toBe(1)
})

test('what is answered in a network of the operator is shown to operators, and to studios if a store says it', async () => {
  const system = await startSystem({ forwardMs: 50, webhookMs: 100 })
  onTestFinished(() => system.close())
  const fox = await addStudio(system, 'Fox')
  const game = await system.game()
  await system.database.sql('update game set studio = $1 where uuid = $2', [fox.id, game.id])
  const page = { status: 400, text: 'the router of this network' }
  const router = await targetLrs(() => ({ ...page, headers: { 'x-experience-api-version': '' } }))
  const store = await targetLrs(() => page)
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  receiver.answer = () => ({ status: 400, body: page.text })
  await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify([statement()])) })
  const { forwards, webhooks } = fox.on()
  const since = '2000-01-01T00:00:00Z'
  const reasonAt = async (endpoint: string) => {
    const settings = { name: 'Partner', endpoint, version: '1.0.3' }
    const { forwardId } = (await forwards.addForward({ gameId: game.id, settings, since })).forward!
    return vi.waitFor(async () => (await forwards.getForward({ forwardId })).setAside[0]!.reason, { timeout: 20_000 })
  }
  expect(await reasonAt(router.endpoint)).toBe('400: no reason was given')
  expect(await reasonAt(store.endpoint)).toBe('400: the router of this network')
  const hook = { name: 'Ours', url: receiver.url, events: ['review.submitted'] }
  const { webhookId } = (await webhooks.addWebhook({ gameId: game.id, settings: hook })).webhook!
  const { deliveryId } = await webhooks.testWebhook({ webhookId })
  await vi.waitFor(async () => expect((await webhooks.getWebhook({ webhookId })).deliveries[0]!.status).toBe(400), {
    timeout: 20_000,
  })
  const answerFor = async (client: typeof webhooks) => [
    (await client.getWebhook({ webhookId })).deliveries[0]!.answer,
    (await client.getDelivery({ webhookId, deliveryId })).delivery!.answer,
  ]
  expect(await answerFor(webhooks)).toEqual(['', ''])
  expect(await answerFor(system.admin.webhooks)).toEqual([page.text, page.text])
})
