import type { Env } from '../shared/settings/kinds.ts'
import { readCoreTlsFor, type CoreTls } from '../shared/tls/core-tls.ts'
import { needed, readSettings, type Settings } from '../shared/settings/settings.ts'

export interface GatewayConfig extends Omit<Settings<'gateway'>, 'coreRelayUrl' | 'serviceToken'> {
  /** URL of the relay port of each core; https for TLS. */
  readonly cores: readonly string[]
  readonly coreTls?: CoreTls
  /** Authenticates the gateway to core. */
  readonly serviceToken: string
}

/** Reads the settings of the gateway; the only place that does. @throws SettingError */
export function readConfig(env: Env): GatewayConfig {
  const { coreRelayUrl, serviceToken, ...settings } = readSettings('gateway', env)
  const token = needed('LRS_SERVICE_TOKEN', serviceToken, 'core accepts only gateways that have a token.')
  return {
    ...settings,
    cores: coreRelayUrl,
    coreTls: readCoreTlsFor(env, 'CORE_RELAY_URL', coreRelayUrl),
    serviceToken: token,
  }
}
