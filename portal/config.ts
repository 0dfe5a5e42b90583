import { choice, integer, SettingError, text, url, type Env } from '../shared/settings/settings.ts'
import { formats, type LogFormat } from '../shared/process/log.ts'
import * as rules from '../shared/settings/shared-settings.ts'
import { readStorageConfig, type StorageConfig } from '../storage/config.ts'

export interface Config {
  readonly host: string
  readonly port: number
  readonly coreUrl: string
  readonly serviceToken: string
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
  readonly logFormat?: LogFormat
  /** Public origin of the portal; undefined: as the Host header says. */
  readonly portalUrl: string | undefined
  /** The endpoint for games; undefined: the gateway's port on the portal's host. */
  readonly xapiUrl: string | undefined
  /** Origin of the player, with `*` if each game has its own; undefined: the player's port on the portal's host. */
  readonly gamesUrl: string | undefined
  /** Number of proxies in front of the portal whose X-Forwarded headers are trusted. */
  readonly trustProxy: number
  readonly gatewayPort: number
  readonly playerPort: number
  readonly storage: StorageConfig
}

/** Reads the settings of a portal process. Only this file reads the environment. @throws SettingError */
export function readConfig(env: Env): Config {
  const serviceToken = text('LRS_SERVICE_TOKEN', env, rules.serviceToken)
  if (!serviceToken)
    throw new SettingError(
      'LRS_SERVICE_TOKEN is not set: the portal needs the token that core has for the role portal.',
    )
  return {
    host: text('PORTAL_HOST', env, { default: '0.0.0.0' }),
    port: integer('PORTAL_PORT', env, { default: 8081, min: 0, max: 65535 }),
    coreUrl: url('CORE_URL', env, { default: 'http://127.0.0.1:8082', protocols: ['http', 'https'] }),
    serviceToken,
    logLevel: choice('LRS_LOG_LEVEL', env, { default: 'info', of: ['debug', 'info', 'warn', 'error'] }),
    logFormat: choice<LogFormat>('LRS_LOG_FORMAT', env, { default: 'json', of: formats }),
    portalUrl: rules.portalUrl(env),
    xapiUrl: rules.xapiUrl(env),
    gamesUrl: rules.gamesUrl(env),
    trustProxy: rules.trustProxy(env),
    gatewayPort: integer('GATEWAY_PORT', env, { default: 8080, min: 0, max: 65535 }),
    playerPort: integer('PLAYER_PORT', env, { default: 8084, min: 0, max: 65535 }),
    storage: readStorageConfig(env),
  }
}
