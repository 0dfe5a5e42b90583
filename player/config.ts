import { choice, integer, SettingError, text, url, type Env } from '../shared/settings/settings.ts'
import { formats, type LogFormat } from '../shared/process/log.ts'
import * as rules from '../shared/settings/shared-settings.ts'
import { readStorageReaderConfig, type StorageReaderConfig } from '../storage/config.ts'

export interface Config {
  readonly host: string
  readonly port: number
  readonly coreUrl: string
  readonly serviceToken: string
  readonly storage: StorageReaderConfig
  /** Origin of games, with `*` if each build has its own; undefined: any address that reaches this process. */
  readonly gamesUrl: string | undefined
  /** The endpoint for games; undefined: the gateway's port on the player's host. */
  readonly xapiUrl: string | undefined
  readonly gatewayPort: number
  /** How long a cache that many share may keep a file of a public build. */
  readonly edgeSeconds: number
  /** Where such a cache is told which files to drop; undefined: there is none. */
  readonly purgeUrl: string | undefined
  readonly purgeToken: string | undefined
  /** Number of proxies in front of the player whose X-Forwarded headers are trusted. */
  readonly trustProxy: number
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
  readonly logFormat?: LogFormat
}

/** Reads the settings of a player process. Only this file reads the environment. @throws SettingError */
export function readConfig(env: Env): Config {
  const serviceToken = text('LRS_SERVICE_TOKEN', env, rules.serviceToken)
  if (!serviceToken)
    throw new SettingError(
      'LRS_SERVICE_TOKEN is not set: the player needs the token that core has for the role player.',
    )
  return {
    host: text('PLAYER_HOST', env, { default: '0.0.0.0' }),
    port: integer('PLAYER_PORT', env, { default: 8084, min: 0, max: 65535 }),
    coreUrl: url('CORE_URL', env, { default: 'http://127.0.0.1:8082', protocols: ['http', 'https'] }),
    serviceToken,
    storage: readStorageReaderConfig(env),
    gamesUrl: rules.gamesUrl(env),
    xapiUrl: rules.xapiUrl(env),
    gatewayPort: integer('GATEWAY_PORT', env, { default: 8080, min: 0, max: 65535 }),
    edgeSeconds: integer('LRS_EDGE_SECONDS', env, { default: 600, min: 0, max: 86_400 }),
    purgeUrl: url('LRS_EDGE_PURGE_URL', env, { protocols: ['http', 'https'] }),
    purgeToken: text('LRS_EDGE_PURGE_TOKEN', env, { secret: true }),
    trustProxy: rules.trustProxy(env),
    logLevel: choice('LRS_LOG_LEVEL', env, { default: 'info', of: ['debug', 'info', 'warn', 'error'] }),
    logFormat: choice<LogFormat>('LRS_LOG_FORMAT', env, { default: 'json', of: formats }),
  }
}
