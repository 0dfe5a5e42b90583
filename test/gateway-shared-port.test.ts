import { get } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { pino } from 'pino'
import { createGateway, type Gateway } from '../gateway/app.ts'
import { readConfig } from '../gateway/config.ts'
import type { Relay } from '../gateway/core-connection/relay.ts'
import { freePorts } from '../start/fixtures/launch.ts'

const log = pino({ level: 'silent' })
const open: Gateway[] = []
afterEach(() => Promise.all(open.splice(0).map((gateway) => gateway.close())))

/** A gateway whose /readyz says its name. */
async function start(name: string, env: Record<string, string>): Promise<Gateway> {
  const relay = { trouble: async () => name, figures: () => ({}), close: () => {} } as unknown as Relay
  const token = { LRS_SERVICE_TOKEN: 'a-token-of-16-or-more' }
  const gateway = createGateway(readConfig({ GATEWAY_HOST: '127.0.0.1', ...token, ...env }), { relay, log })
  open.push(gateway)
  await gateway.listen()
  return gateway
}

/** Which gateway answers on a new connection. */
const answering = (port: string): Promise<string> =>
  new Promise((done, failed) => {
    get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (response) => {
      let said = ''
      response.on('data', (bytes) => (said += bytes)).on('end', () => done(JSON.parse(said).reason))
    }).once('error', failed)
  })

const isLinux = process.platform === 'linux'
test.runIf(isLinux)(
  'two gateways share a port, each answers at its own, and one goes on without the other',
  async () => {
    const [shared, one, two] = (await freePorts(3)).map(String) as [string, string, string]
    await start('one', { GATEWAY_PORT: shared, GATEWAY_OWN_PORT: one })
    const second = await start('two', { GATEWAY_PORT: shared, GATEWAY_OWN_PORT: two })
    expect([await answering(one), await answering(two)]).toEqual(['one', 'two'])
    const seen = async () => new Set(await Promise.all(Array.from({ length: 40 }, () => answering(shared))))
    expect(await seen()).toEqual(new Set(['one', 'two']))
    open.splice(open.indexOf(second), 1)
    await second.close()
    expect(await seen()).toEqual(new Set(['one']))
    await expect(answering(two)).rejects.toThrow('ECONNREFUSED')
  },
)

test('without a port of its own a gateway shares its port with no other', async () => {
  const [shared] = (await freePorts(1)).map(String) as [string]
  await start('one', { GATEWAY_PORT: shared })
  await expect(start('two', { GATEWAY_PORT: shared })).rejects.toThrow('EADDRINUSE')
})
