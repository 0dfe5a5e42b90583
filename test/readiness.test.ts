import { afterAll, beforeAll, test } from 'vitest'
import { pino } from 'pino'
import { createGateway } from '../gateway/app.ts'
import { readConfig as gatewayConfig } from '../gateway/config.ts'
import { createPlayer } from '../player/app.ts'
import { readConfig as playerConfig } from '../player/config.ts'
import { createPortal } from '../portal/app.ts'
import { readConfig as portalConfig } from '../portal/config.ts'
import { eventually } from '../start/fixtures/launch.ts'
import { startSystem, tokens, type System } from './support/system.ts'

const log = pino({ level: 'silent' })

let system: System
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
})
afterAll(() => system.close())

/** The three processes that ask core, with these settings. */
async function start(env: Record<string, string>) {
  const [{ port, relayPort }] = system.cores as [System['cores'][0]]
  const all = {
    GATEWAY_HOST: '127.0.0.1',
    PORTAL_HOST: '127.0.0.1',
    PLAYER_HOST: '127.0.0.1',
    GATEWAY_PORT: '0',
    PORTAL_PORT: '0',
    PLAYER_PORT: '0',
    CORE_URL: `http://127.0.0.1:${port}`,
    CORE_RELAY_URL: `http://127.0.0.1:${relayPort}`,
    LRS_STORAGE_DIR: '/nowhere',
    LRS_STORAGE_KEY: 'x'.repeat(43),
    ...env,
  }
  const role = (name: 'gateway' | 'portal' | 'player') => ({ LRS_SERVICE_TOKEN: tokens[name], ...all })
  const gateway = createGateway(gatewayConfig(role('gateway')), { log })
  const portal = await createPortal(portalConfig(role('portal')), { log })
  const player = await createPlayer(playerConfig(role('player')), { log })
  const ports = { gateway: await gateway.listen(), portal: portal.port, player: player.port }
  return {
    async tells(name: keyof typeof ports) {
      const response = await fetch(`http://127.0.0.1:${ports[name]}/readyz`)
      return response.json() as Promise<object>
    },
    close: () => Promise.all([gateway.close(), portal.close(), player.close()]),
  }
}

test.each([
  ['serve', {}, () => ({ status: 'ok' })],
  [
    'have a token that core does not know',
    { LRS_SERVICE_TOKEN: 'a-token-of-nobody-0123456789' },
    (name: string) => ({
      status: 'unavailable',
      reason: `core refuses the service token of this ${name}: LRS_SERVICE_TOKEN has to be the one that LRS_SERVICE_TOKENS of core has for ${name}`,
    }),
  ],
  [
    'do not reach core',
    { CORE_URL: 'http://127.0.0.1:1', CORE_RELAY_URL: 'http://127.0.0.1:1' },
    () => ({ status: 'unavailable', reason: 'core is not reached' }),
  ],
])('/readyz of gateway, portal and player that %s', async (_what, env, expected) => {
  const processes = await start(env)
  try {
    for (const name of ['gateway', 'portal', 'player'] as const) {
      let told: unknown
      await eventually(
        async () => {
          told = await processes.tells(name)
          return JSON.stringify(told).includes(JSON.stringify(expected(name)).slice(1, -1))
        },
        () => `${name} told ${JSON.stringify(told)}`,
      )
    }
  } finally {
    await processes.close()
  }
})
