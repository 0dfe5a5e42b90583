import type { Env } from '../shared/settings/settings.ts'
import { formats, type LogFormat } from '../shared/process/log.ts'
import { choice, integer, SettingError, text, url } from '../shared/settings/settings.ts'
import { trustProxy } from '../shared/settings/shared-settings.ts'
import { versionOf } from '../shared/xapi-version.ts'

const MiB = 1024 * 1024

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

export interface GatewayConfig {
  host: string
  /** 0: any free port. */
  port: number
  /** A port of 127.0.0.1 where this gateway alone answers; with it, gateways of one machine may share `port`. */
  ownPort?: number | undefined
  /** URL of the relay port of each core; https for TLS. */
  cores: string[]
  /** Authenticates the gateway to core. */
  serviceToken: string
  /** Version header of answers to requests without a supported version. */
  defaultVersion: string
  /** `xapi`: follow xAPI 1.0.3 exactly where the games dialect differs. */
  dialect: 'games' | 'xapi'
  logLevel: LogLevel
  logFormat?: LogFormat
  /** Number of trusted proxies in front, whose X-Forwarded-For counts. */
  trustProxy?: number | undefined
  /** Milliseconds that core has to answer. */
  relayTimeoutMs: number
  /** Largest request with attachments, in bytes. Its statements have their usual limit, too. */
  attachmentsMaxBytes: number
}

/** Reads the settings of the gateway; the only place that does. Throws SettingError. */
export function readConfig(env: Env): GatewayConfig {
  return {
    host: text('GATEWAY_HOST', env, { default: '0.0.0.0' }),
    port: integer('GATEWAY_PORT', env, { default: 8080, min: 0, max: 65535 }),
    ownPort: integer('GATEWAY_OWN_PORT', env, { default: 0, min: 1, max: 65535 }) || undefined,
    cores: coreUrls(env),
    serviceToken: serviceToken(env),
    defaultVersion: defaultVersion(env),
    dialect: choice('LRS_DIALECT', env, { default: 'games', of: ['games', 'xapi'] }),
    logLevel: choice('LRS_LOG_LEVEL', env, { default: 'info', of: ['debug', 'info', 'warn', 'error', 'silent'] }),
    logFormat: choice<LogFormat>('LRS_LOG_FORMAT', env, { default: 'json', of: formats }),
    trustProxy: trustProxy(env),
    relayTimeoutMs: integer('LRS_RELAY_TIMEOUT_MS', env, { default: 10_000, min: 100, max: 600_000 }),
    attachmentsMaxBytes: integer('LRS_ATTACHMENTS_MAX_BYTES', env, { default: 32 * MiB, min: MiB, max: 1024 * MiB }),
  }
}

function coreUrls(env: Env): string[] {
  const list = text('CORE_RELAY_URL', env, { default: 'http://127.0.0.1:8083' })
  return list.split(',').map((part) => {
    const one = { CORE_RELAY_URL: part.trim() || 'empty' }
    return url('CORE_RELAY_URL', one, { protocols: ['http', 'https'], default: '' })
  })
}

function serviceToken(env: Env): string {
  const token = text('LRS_SERVICE_TOKEN', env, {
    pattern: /^[\x21-\x7e]+$/,
    accepted: 'printable ASCII without spaces',
    secret: true,
  })
  if (token === undefined)
    throw new SettingError('LRS_SERVICE_TOKEN is not set; core accepts only gateways that have a token.')
  return token
}

function defaultVersion(env: Env): string {
  const version = versionOf(text('LRS_DEFAULT_VERSION', env, { default: '1.0.3' }))
  if (version !== undefined) return version
  throw new SettingError('LRS_DEFAULT_VERSION must be 1.0.x or 2.0.x, for example 1.0.3.')
}
