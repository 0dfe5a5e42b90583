import type { Env } from '../shared/settings/kinds.ts'
import { readCoreTlsFor, type CoreTls } from '../shared/tls/core-tls.ts'
import { needed, readSettings, type Settings } from '../shared/settings/settings.ts'
import { readStorageConfig, type StorageConfig } from '../storage/config.ts'

export interface Config extends Omit<Settings<'portal'>, 'serviceToken'> {
  readonly serviceToken: string
  readonly coreTls?: CoreTls
  readonly storage: StorageConfig
}

/** Reads the settings of a portal process. Only this file reads the environment. @throws SettingError */
export function readConfig(env: Env): Config {
  const settings = readSettings('portal', env)
  const why = 'the portal needs the token that core has for the role portal.'
  return {
    ...settings,
    coreTls: readCoreTlsFor(env, 'CORE_URL', [settings.coreUrl]),
    serviceToken: needed('LRS_SERVICE_TOKEN', settings.serviceToken, why),
    storage: readStorageConfig(env),
  }
}
