import { resolve } from 'node:path'
import { readCounts } from './counts.ts'
import { portsOf } from './port-plan.ts'
import * as rules from '../shared/settings/shared-settings.ts'
import { type Env, SettingError, integer, text } from '../shared/settings/settings.ts'

export type ServiceTokens = Record<rules.Role, string>

export interface Config {
  /** Undefined: Postgres from npm, in the data folder. */
  databaseUrl: string | undefined
  /** Absolute path. */
  dataDir: string
  /** Bytes of its disk that stay free. */
  diskReserve: number | undefined
  gatewayPort: number
  portalPort: number
  playerPort: number
  corePort: number
  relayPort: number
  /** Processes of each kind. */
  gateways: number
  cores: number
  tenancy: 'shared' | 'isolated'
  /** Values from the environment; undefined: generated. */
  bootstrapKey: string | undefined
  bootstrapSecret: string | undefined
  signingKey: string | undefined
  secretKeys: string | undefined
  serviceTokens: (Omit<ServiceTokens, 'service' | 'player'> & Partial<Pick<ServiceTokens, 'player'>>) | undefined
}

/** The data folder if LRS_DATA_DIR is not set. */
export const usualDataDir = resolve(import.meta.dirname, '..', 'data')

/** Reads the settings of `npm start`. Each process checks the settings that only it reads. Throws SettingError. */
export function readConfig(env: Env): Config {
  const dataDir = text('LRS_DATA_DIR', env)
  const config: Config = {
    databaseUrl: rules.databaseUrl(env),
    dataDir: dataDir === undefined ? usualDataDir : resolve(dataDir),
    diskReserve: rules.diskReserve(env),
    gatewayPort: port('GATEWAY_PORT', env, 8080),
    portalPort: port('PORTAL_PORT', env, 8081),
    playerPort: port('PLAYER_PORT', env, 8084),
    corePort: port('CORE_PORT', env, 8082),
    relayPort: port('CORE_RELAY_PORT', env, port('CORE_PORT', env, 8082) + 1),
    ...readCounts(env),
    tenancy: rules.tenancy(env),
    bootstrapKey: text('LRS_BOOTSTRAP_KEY', env, rules.bootstrapKey),
    bootstrapSecret: text('LRS_BOOTSTRAP_SECRET', env, rules.bootstrapSecret),
    signingKey: text('LRS_SIGNING_KEY', env, rules.signingKey),
    secretKeys: text('LRS_SECRET_KEYS', env, rules.secretKeys),
    serviceTokens: serviceTokens(env),
  }
  refuseSamePort(config)
  return config
}

function port(name: string, env: Env, usual: number): number {
  return integer(name, env, { default: usual, min: 1, max: 65535 })
}

function refuseSamePort(config: Config): void {
  const seen = new Map<number, string>()
  for (const { setting, port } of portsOf(config)) {
    if (port > 65535) throw new SettingError(`${setting} is too high: the last process would listen at ${port}.`)
    const other = seen.get(port)
    if (other !== undefined)
      throw new SettingError(`${setting} is ${port}, but ${other} is that already: they have to differ.`)
    seen.set(port, setting)
  }
}

/** The tokens that are needed here; core reads the others from the same setting. */
function serviceTokens(env: Env): Config['serviceTokens'] {
  const given = rules.serviceTokens(env)
  if (given === undefined) return undefined
  const tokens = Object.fromEntries(given.toReversed().map(({ role, token }) => [role, token])) as ServiceTokens
  const { gateway, portal, admin, player } = tokens
  const missing = (['gateway', 'portal', 'admin'] as const).find((role) => tokens[role] === undefined)
  if (missing === undefined) return { gateway, portal, admin, ...(player && { player }) }
  throw new SettingError(
    `LRS_SERVICE_TOKENS has no usable token for ${missing}, ` +
      'but must be gateway=…,portal=…,admin=… with 16 characters or more each.',
  )
}
