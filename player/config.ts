import type { Env } from '../shared/settings/kinds.ts'
import { readCoreTlsFor, type CoreTls } from '../shared/tls/core-tls.ts'
import { needed, readSettings, type Settings } from '../shared/settings/settings.ts'
import { readStorageReaderConfig, type StorageReaderConfig } from '../storage/config.ts'

export interface Config extends Omit<Settings<'player'>, 'serviceToken'> {
  readonly serviceToken: string
  readonly coreTls?: CoreTls
  readonly storage: StorageReaderConfig
}

/** Reads the settings of a player process. Only this file reads the environment. @throws SettingError */
export function readConfig(env: Env): Config {
  const settings = readSettings('player', env)
  const why = 'the player needs the token that core has for the role player.'
  return {
    ...settings,
    coreTls: readCoreTlsFor(env, 'CORE_URL', [settings.coreUrl]),
    serviceToken: needed('LRS_SERVICE_TOKEN', settings.serviceToken, why),
    storage: readStorageReaderConfig(env),
  }
}
