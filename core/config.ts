import { choice, integer, SettingError, text, type Env } from '../shared/settings/settings.ts'
import { readMailConfig, type MailConfig } from './mail-config.ts'
import { databaseHosts } from '../shared/settings/database-hosts.ts'
import { metricsPorts } from '../shared/settings/metrics-settings.ts'
import { isNetwork } from './outgoing/address-guard.ts'
import { readStorageConfig, type StorageConfig } from '../storage/config.ts'
import { formats, type LogFormat } from '../shared/process/log.ts'
import * as rules from '../shared/settings/shared-settings.ts'
import { secondFactorPolicies, type SecondFactorPolicy } from './studio/second-factor.ts'
import { signInWays, type SignInWays } from './studio/sign-in-ways.ts'
import type { Dialect, Tenancy } from './xapi/dialect.ts'

/** What a service token allows; `service`: internal services, which act for the game that they name. */
export type Role = rules.Role

export interface Config {
  readonly databaseUrl: string
  /** The same database as the role that owns the tables; undefined: that of databaseUrl owns them. */
  readonly migrationDatabaseUrl?: string | undefined
  readonly databaseConnections: number
  /** Addresses of Postgres servers that have cells, by name (docs/adr/0019). */
  readonly cellServers: ReadonlyMap<string, string>
  readonly host: string
  readonly port: number
  readonly relayPort: number
  readonly dialect: Dialect
  readonly tenancy: Tenancy
  /** 0: no request limits; n: the figures of the table times n. */
  readonly rateLimitFactor: number
  readonly signingKeys: readonly Uint8Array[]
  /** Seal secrets at rest: the first one seals, all open; none: such secrets are not kept. */
  readonly secretKeys: readonly Uint8Array[]
  /** Who needs a second factor. */
  readonly secondFactor: SecondFactorPolicy
  /** How people sign in. */
  readonly signIn: SignInWays
  readonly serviceTokens: readonly { role: Role; token: string }[]
  /** IRI: the homePage of the account in `authority`. */
  readonly authorityHome: string
  /** Bytes of all contents of attachments in one request. */
  readonly attachmentsMaxBytes: number
  readonly storage: StorageConfig
  /** Bytes of all files of a browser build, unpacked. */
  readonly buildMaxExpanded: number
  /** Days for which the audit log is kept. */
  readonly auditDays: number
  /** Networks that calls to other systems may reach although they are not public. */
  readonly outgoingAllow: readonly string[]
  /** Ports of core, of metrics and of Postgres: on this machine no studio makes core call them. */
  readonly ownPorts: readonly number[]
  /** Undefined: no mail is sent. */
  readonly mail: MailConfig | undefined
  readonly bootstrap?: { key: string; secret: string }
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
  readonly logFormat?: LogFormat
}

const MiB = 1024 * 1024

/** Reads the settings of a core process; the only place in core that reads the environment. @throws SettingError */
export function readConfig(env: Env): Config {
  const databaseUrl = readDatabaseUrl(env)
  const limits = choice('LRS_RATE_LIMITS', env, { default: 'on', of: ['on', 'off'] })
  const port = integer('CORE_PORT', env, { default: 8082, min: 0, max: 65535 })
  const relayPort = integer('CORE_RELAY_PORT', env, { default: port === 0 ? 0 : port + 1, min: 0, max: 65535 })
  const key = text('LRS_BOOTSTRAP_KEY', env, rules.bootstrapKey)
  const secret = text('LRS_BOOTSTRAP_SECRET', env, rules.bootstrapSecret)
  return {
    databaseUrl,
    migrationDatabaseUrl: rules.migrationDatabaseUrl(env),
    databaseConnections: integer('LRS_DATABASE_CONNECTIONS', env, { default: 10, min: 2, max: 500 }),
    cellServers: rules.cellServers(env),
    host: text('CORE_HOST', env, { default: '127.0.0.1' }),
    port,
    relayPort,
    dialect: choice('LRS_DIALECT', env, { default: 'games', of: ['games', 'xapi'] }),
    tenancy: rules.tenancy(env),
    rateLimitFactor: limits === 'off' ? 0 : integer('LRS_RATE_LIMIT_FACTOR', env, { default: 1, min: 1, max: 10_000 }),
    signingKeys: readSigningKeys(env),
    secretKeys: keysOf(text('LRS_SECRET_KEYS', env, rules.secretKeys) ?? ''),
    secondFactor: choice('LRS_SECOND_FACTOR', env, { default: 'optional', of: secondFactorPolicies }),
    signIn: choice('LRS_SIGN_IN', env, { default: 'both', of: signInWays }),
    serviceTokens: readServiceTokens(env),
    authorityHome: text('LRS_AUTHORITY_HOME', env, {
      default: 'https://games-lrs.example',
      pattern: /^[a-z][a-z0-9+.-]*:\S+$/i,
      accepted: 'an IRI such as https://lrs.example.org',
    }),
    attachmentsMaxBytes: integer('LRS_ATTACHMENTS_MAX_BYTES', env, { default: 32 * MiB, min: MiB, max: 1024 * MiB }),
    storage: readStorageConfig(env),
    buildMaxExpanded: integer('LRS_BUILD_MAX_EXPANDED', env, { default: 4096 * MiB, min: MiB, max: 1024 * 1024 * MiB }),
    auditDays: integer('LRS_AUDIT_DAYS', env, { default: 400, min: 31, max: 36_500 }),
    outgoingAllow: readNetworks('LRS_OUTGOING_ALLOW', env),
    ownPorts: [
      port,
      relayPort,
      ...metricsPorts(env),
      ...databaseHosts(databaseUrl).urls.map((url) => Number(new URL(url).port || 5432)),
    ],
    mail: readMailConfig(env),
    bootstrap: key && secret ? { key, secret } : undefined,
    logLevel: choice('LRS_LOG_LEVEL', env, { default: 'info', of: ['debug', 'info', 'warn', 'error'] }),
    logFormat: choice<LogFormat>('LRS_LOG_FORMAT', env, { default: 'json', of: formats }),
  }
}

/** @throws SettingError */
export function readDatabaseUrl(env: Env): string {
  const databaseUrl = rules.databaseUrl(env)
  if (!databaseUrl)
    throw new SettingError(
      'DATABASE_URL is not set: core needs the address of a Postgres, such as postgres://user:password@host/name.',
    )
  return databaseUrl
}

function readSigningKeys(env: Env): Uint8Array[] {
  const keys = text('LRS_SIGNING_KEY', env, rules.signingKey)
  if (!keys)
    throw new SettingError(
      'LRS_SIGNING_KEY is not set: core signs launch tokens with it; ' +
        'give 32 random bytes in base64url, the same on every core.',
    )
  return keysOf(keys)
}

const keysOf = (keys: string): Uint8Array[] =>
  keys === '' ? [] : keys.split(',').map((key) => Buffer.from(key, 'base64url'))

function readServiceTokens(env: Env): Config['serviceTokens'] {
  const tokens = rules.serviceTokens(env)
  if (tokens) return tokens
  throw new SettingError(
    'LRS_SERVICE_TOKENS is not set: core needs the tokens of those who may call it, ' +
      'such as gateway=…,portal=…,admin=….',
  )
}

function readNetworks(name: string, env: Env): string[] {
  const networks = (text(name, env) ?? '').split(/[\s,]+/).filter((network) => network !== '')
  const wrong = networks.find((network) => !isNetwork(network))
  if (wrong === undefined) return networks
  throw new SettingError(
    `${name} has "${wrong.slice(0, 60)}", but must be networks separated by commas, such as 10.1.0.0/16,fd00::/8, ` +
      'or with a port 10.1.0.0/16:443,[fd00::]/8:443.',
  )
}
