import { resolve } from 'node:path'
import { readCounts } from './counts.ts'
import { portsOf } from './port-plan.ts'
import { SettingError, type Env } from '../shared/settings/kinds.ts'
import type { Role } from '../shared/settings/own-kinds.ts'
import { readSettings, type Settings } from '../shared/settings/settings.ts'

export type ServiceTokens = Record<Role, string>

export interface Config extends Omit<Settings<'start'>, 'coreRelayPort' | 'gateways' | 'cores' | 'serviceTokens'> {
  /** Absolute path. */
  readonly dataDir: string
  readonly relayPort: number
  /** Processes of each kind. */
  readonly gateways: number
  readonly cores: number
  /** Values from the environment; undefined: generated. */
  readonly serviceTokens:
    | (Omit<ServiceTokens, 'service' | 'player'> & Partial<Pick<ServiceTokens, 'player'>>)
    | undefined
}

/** The data folder if LRS_DATA_DIR is not set. */
export const usualDataDir = resolve(import.meta.dirname, '..', 'data')

/** Reads the settings of `npm start`. Each process checks the settings that only it reads. @throws SettingError */
export function readConfig(env: Env): Config {
  const { coreRelayPort, ...settings } = readSettings('start', env)
  const config: Config = {
    ...settings,
    ...readCounts(settings),
    dataDir: resolve(settings.dataDir ?? usualDataDir),
    relayPort: coreRelayPort ?? settings.corePort + 1,
    serviceTokens: serviceTokens(settings.serviceTokens),
  }
  refuseSamePort(config)
  return config
}

function refuseSamePort(config: Config): void {
  const seen = new Map<number, string>()
  for (const { setting, port } of portsOf(config)) {
    if (port === 0) throw new SettingError(`${setting} is 0, but must be a port that others can know.`)
    if (port > 65535) throw new SettingError(`${setting} is too high: the last process would listen at ${port}.`)
    const other = seen.get(port)
    if (other !== undefined)
      throw new SettingError(`${setting} is ${port}, but ${other} is that already: they have to differ.`)
    seen.set(port, setting)
  }
}

/** The tokens that are needed here; core reads the others from the same setting. */
function serviceTokens(given: Settings<'start'>['serviceTokens']): Config['serviceTokens'] {
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
