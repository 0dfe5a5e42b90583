import { get } from 'node:http'
import { join, resolve } from 'node:path'
import type { Config } from './config.ts'
import type { DemoCredential, Secrets } from './secrets.ts'
import type { Env } from '../shared/settings/kinds.ts'
import { ownPortOf, portOf } from './port-plan.ts'
import { answers } from './ports.ts'

export type PartName = 'core' | 'gateway' | 'portal' | 'player'

/** The script of each kind of process; tests replace them. */
export type Scripts = Record<PartName, string>

const root = resolve(import.meta.dirname, '..')

export const ownScripts: Scripts = {
  core: join(root, 'core', 'main.ts'),
  gateway: join(root, 'gateway', 'main.ts'),
  portal: join(root, 'portal', 'main.ts'),
  player: join(root, 'player', 'main.ts'),
}

export interface Part {
  /** Determines the script that runs it. */
  kind: PartName
  /** Its name in output and in the name of its log: `core`, `core-2`. */
  name: string
  address: string
  env: Env
  probe: () => Promise<boolean>
}

/** Settings that only core gets. */
const coreOnly = [
  'DATABASE_URL',
  'LRS_MIGRATION_DATABASE_URL',
  'LRS_READ_URLS',
  'LRS_CELL_SERVERS',
  'LRS_SIGNING_KEY',
  'LRS_SECRET_KEYS',
  'LRS_SERVICE_TOKENS',
  'LRS_BOOTSTRAP_KEY',
  'LRS_BOOTSTRAP_SECRET',
  'LRS_SMTP_URL',
]
/** Of TLS between processes, which those of one machine do without. */
const ofTls = /^(CORE_TLS_\w+|LRS_CORE_(NAME|CA_FILE|CERT_FILE|KEY_FILE))$/
/** Settings that only processes with storage get. */
const ofStorage = /^LRS_(STORAGE|S3)_/

export interface Parts {
  gateways: Part[]
  /** Only the first one makes the demo game. */
  cores: (databaseUrl: string, demo: DemoCredential) => Part[]
  /** Portal and player. */
  pages: Part[]
}

/** The processes: their settings, and how to see that they can serve. */
export function parts(config: Config, secrets: Secrets, env: Env): Parts {
  const { corePort, relayPort, gatewayPort, portalPort, playerPort, dataDir, cores, gateways } = config
  const shared: Env = {
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
    ...Object.fromEntries(
      Object.entries(env).filter(([name]) => !coreOnly.includes(name) && !ofStorage.test(name) && !ofTls.test(name)),
    ),
    LRS_DATA_DIR: dataDir,
    // warnings are read from the log
    LRS_LOG_FORMAT: 'json',
    CORE_PORT: String(corePort),
    CORE_RELAY_PORT: String(relayPort),
    GATEWAY_PORT: String(gatewayPort),
    PORTAL_PORT: String(portalPort),
    PLAYER_PORT: String(playerPort),
    CORE_URL: `http://127.0.0.1:${corePort}`,
    CORE_RELAY_URL: times(cores, (n) => `http://127.0.0.1:${portOf(relayPort, n)}`).join(','),
  }
  const stored: Env = {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => ofStorage.test(name) && name !== 'LRS_STORAGE_KEY')),
    LRS_STORAGE_DIR: env['LRS_STORAGE_DIR'] || join(dataDir, 'storage'),
  }
  // the key permits signing uploads, and the player only reads
  const storage: Env = { ...stored, LRS_STORAGE_KEY: env['LRS_STORAGE_KEY'] || secrets.storageKey }
  const tokens = Object.entries(secrets.serviceTokens).map(([role, token]) => `${role}=${token}`)
  const given = env['LRS_SERVICE_TOKENS']
  const core = (databaseUrl: string, demo: DemoCredential): Env => ({
    ...shared,
    ...storage,
    DATABASE_URL: databaseUrl,
    LRS_MIGRATION_DATABASE_URL: env['LRS_MIGRATION_DATABASE_URL'],
    LRS_READ_URLS: env['LRS_READ_URLS'],
    LRS_CELL_SERVERS: env['LRS_CELL_SERVERS'],
    LRS_SMTP_URL: env['LRS_SMTP_URL'],
    LRS_SIGNING_KEY: secrets.signingKey,
    LRS_SECRET_KEYS: secrets.secretKeys,
    LRS_SERVICE_TOKENS: given ? withPlayer(given, secrets.serviceTokens.player) : tokens.join(','),
    ...(demo.secret === undefined ? {} : { LRS_BOOTSTRAP_KEY: demo.key, LRS_BOOTSTRAP_SECRET: demo.secret }),
  })
  /** Each process of a kind has a port for its own metrics. */
  const metricsPort = (kind: 'CORE' | 'GATEWAY', n: number): Env => {
    const name = `${kind}_METRICS_PORT`
    return env[name] && n > 0 ? { [name]: String(portOf(Number(env[name]), n)) } : {}
  }
  const client = (role: 'gateway' | 'portal' | 'player'): Env => ({
    ...shared,
    LRS_SERVICE_TOKEN: secrets.serviceTokens[role],
  })
  return {
    gateways: times(gateways, (n) => {
      const own = gateways === 1 ? undefined : ownPortOf(gatewayPort, n)
      return {
        kind: 'gateway',
        name: nameOf('gateway', n),
        address: `http://localhost:${gatewayPort}/xapi`,
        env: { ...client('gateway'), ...metricsPort('GATEWAY', n), ...(own && { GATEWAY_OWN_PORT: String(own) }) },
        probe: () => isReady(own ?? gatewayPort),
      }
    }),
    cores: (databaseUrl, demo) =>
      times(cores, (n) => {
        const port = portOf(corePort, n)
        const made = n === 0 ? demo : { key: demo.key, secret: undefined }
        const ports = { CORE_PORT: String(port), CORE_RELAY_PORT: String(portOf(relayPort, n)) }
        return {
          kind: 'core',
          name: nameOf('core', n),
          address: `127.0.0.1:${port} (gRPC and Connect)`,
          env: { ...core(databaseUrl, made), ...metricsPort('CORE', n), ...ports },
          probe: () => answers(port),
        }
      }),
    pages: [
      {
        kind: 'portal',
        name: 'portal',
        address: `http://localhost:${portalPort}`,
        env: { ...client('portal'), ...storage },
        probe: () => isReady(portalPort),
      },
      {
        kind: 'player',
        name: 'player',
        address: `http://localhost:${playerPort}`,
        env: { ...client('player'), ...stored },
        probe: () => isReady(playerPort),
      },
    ],
  }
}

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

const nameOf = (kind: PartName, n: number): string => (n === 0 ? kind : `${kind}-${n + 1}`)

/** Adds the player's token to tokens that were set before there was a player. */
function withPlayer(given: string, token: string): string {
  return /(^|,) *player=/.test(given) ? given : `${given},player=${token}`
}

function isReady(port: number): Promise<boolean> {
  return new Promise((done) => {
    const request = get({ host: '127.0.0.1', port, path: '/readyz', timeout: 1000, agent: false }, (response) => {
      response.resume()
      done(response.statusCode === 200)
    })
    request.once('timeout', () => request.destroy()).once('error', () => done(false))
  })
}
