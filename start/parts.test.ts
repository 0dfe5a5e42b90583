import { expect, test } from 'vitest'
import type { Config } from './config.ts'
import { parts } from './parts.ts'
import type { Secrets } from './secrets.ts'

test('only core gets the addresses of servers that have cells', () => {
  const config = { corePort: 1, relayPort: 2, gatewayPort: 3, portalPort: 4, playerPort: 5, dataDir: '/d' }
  const secrets = { serviceTokens: {}, signingKey: 's', secretKeys: 'k', storageKey: 't' }
  const LRS_CELL_SERVERS = 'east=postgres://u:p@east/lrs'
  const { gateways, cores, pages } = parts(
    { ...config, cores: 1, gateways: 1 } as unknown as Config,
    secrets as unknown as Secrets,
    { LRS_CELL_SERVERS },
  )
  expect(cores('postgres://x/y', { key: 'k' } as never)[0]!.env).toMatchObject({ LRS_CELL_SERVERS })
  for (const { env } of [...gateways, ...pages]) expect(env).not.toHaveProperty('LRS_CELL_SERVERS')
})
