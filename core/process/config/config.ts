import type { NetConnectOpts } from 'node:net'
import { needed, readSetting, readSettings, type Settings } from '../../../shared/settings/settings.ts'
import { SettingError, type Env } from '../../../shared/settings/kinds.ts'
import { readMailConfig, type MailConfig } from './mail-config.ts'
import { databaseHosts } from '../../../shared/settings/database-hosts.ts'
import { metricsPorts } from '../../../shared/settings/metrics-settings.ts'
import { isNetwork } from '../outgoing/address-guard.ts'
import { readTlsFiles, type TlsFiles } from '../../../shared/tls/tls-files.ts'
import { readStorageConfig, type StorageConfig } from '../../../storage/config.ts'

type Combined =
  | 'databaseUrl'
  | 'relayPort'
  | 'rateLimits'
  | 'secretKeys'
  | 'signingKey'
  | 'serviceTokens'
  | 'outgoingAllow'
  | 'tlsCertFile'
  | 'tlsKeyFile'
  | 'tlsClientCaFile'
type Apart = 'clamd' | 'bootstrapKey' | 'bootstrapSecret' | 'smtpUrl' | 'mailFrom' | 'portalUrl'

/** The settings of core (shared/settings/table.ts), some of them combined. */
export interface Config extends Omit<Settings<'core'>, Combined | Apart> {
  readonly databaseUrl: string
  readonly relayPort: number
  /** 0: no request limits; n: the figures of the table times n. */
  readonly rateLimitFactor: number
  readonly signingKeys: readonly Uint8Array[]
  /** Seal secrets at rest: the first one seals, all open; none: such secrets are not kept. */
  readonly secretKeys: readonly Uint8Array[]
  readonly serviceTokens: NonNullable<Settings<'core'>['serviceTokens']>
  readonly storage: StorageConfig
  /** Undefined: callers need no TLS. */
  readonly tls?: TlsFiles | undefined
  /** Networks that calls to other systems may reach although they are not public. */
  readonly outgoingAllow: readonly string[]
  /** Ports of core, of metrics and of Postgres: on this machine no studio makes core call them. */
  readonly ownPorts: readonly number[]
  /** Where clamd listens; undefined: uploads are not scanned for malware. */
  readonly clamd?: NetConnectOpts | undefined
  /** Undefined: no mail is sent. */
  readonly mail: MailConfig | undefined
  readonly bootstrap?: { key: string; secret: string } | undefined
}

/** Reads the settings of a core process; the only place in core that reads the environment. @throws SettingError */
export function readConfig(env: Env): Config {
  const {
    tlsCertFile,
    tlsKeyFile,
    tlsClientCaFile,
    signingKey,
    rateLimits,
    bootstrapKey,
    bootstrapSecret,
    smtpUrl,
    mailFrom,
    portalUrl,
    ...settings
  } = readSettings('core', env)
  const databaseUrl = readDatabaseUrl(env)
  const { port, relayPort = port === 0 ? 0 : port + 1 } = settings
  return {
    ...settings,
    databaseUrl,
    relayPort,
    rateLimitFactor: rateLimits === 'off' ? 0 : settings.rateLimitFactor,
    signingKeys: keysOf(
      needed(
        'LRS_SIGNING_KEY',
        signingKey,
        'core signs launch tokens with it; give 32 random bytes in base64url, the same on every core.',
      ),
    ),
    secretKeys: keysOf(settings.secretKeys),
    serviceTokens: needed(
      'LRS_SERVICE_TOKENS',
      settings.serviceTokens,
      'core needs the tokens of those who may call it, such as gateway=…,portal=…,admin=….',
    ),
    storage: readStorageConfig(env),
    tls: readTls(tlsCertFile, tlsKeyFile, tlsClientCaFile),
    outgoingAllow: networksOf('LRS_OUTGOING_ALLOW', settings.outgoingAllow),
    ownPorts: [
      port,
      relayPort,
      ...metricsPorts(env),
      ...[...databaseHosts(databaseUrl).urls, ...settings.readUrls].map((url) => Number(new URL(url).port || 5432)),
    ],
    mail: readMailConfig({ smtpUrl, mailFrom, portalUrl }),
    bootstrap: bootstrapKey && bootstrapSecret ? { key: bootstrapKey, secret: bootstrapSecret } : undefined,
  }
}

/** @throws SettingError */
export const readDatabaseUrl = (env: Env): string =>
  needed(
    'DATABASE_URL',
    readSetting('DATABASE_URL', env),
    'core needs the address of a Postgres, such as postgres://user:password@host/name.',
  )

/** @throws SettingError */
function readTls(cert?: string, key?: string, ca?: string): TlsFiles | undefined {
  const file = (setting: string, path?: string) => (path === undefined ? undefined : { setting, path })
  const tls = {
    ca: file('CORE_TLS_CLIENT_CA_FILE', ca),
    cert: file('CORE_TLS_CERT_FILE', cert),
    key: file('CORE_TLS_KEY_FILE', key),
  }
  if (tls.ca && !tls.cert)
    throw new SettingError('CORE_TLS_CLIENT_CA_FILE is set, but CORE_TLS_CERT_FILE is not: set both.')
  readTlsFiles(tls)
  return tls.cert && tls
}

const keysOf = (keys = ''): Uint8Array[] =>
  keys === '' ? [] : keys.split(',').map((key) => Buffer.from(key, 'base64url'))

function networksOf(name: string, value = ''): string[] {
  const networks = value.split(/[\s,]+/).filter((network) => network !== '')
  const wrong = networks.find((network) => !isNetwork(network))
  if (wrong === undefined) return networks
  throw new SettingError(
    `${name} has "${wrong.slice(0, 60)}", but must be networks separated by commas, such as 10.1.0.0/16,fd00::/8, ` +
      'or with a port 10.1.0.0/16:443,[fd00::]/8:443.',
  )
}
