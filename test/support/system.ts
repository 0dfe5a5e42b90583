import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino, type Logger } from 'pino'
import { captcha, type Work } from '../../core/accounts/access/captcha.ts'
import { launchTokens } from '../../core/games/access/launch-tokens.ts'
import { passwords } from '../../core/accounts/access/passwords.ts'
import type { MailConfig } from '../../core/process/config/mail-config.ts'
import type { Config } from '../../core/process/config/config.ts'
import { byteAllowance } from '../../core/process/limits/byte-allowance.ts'
import { createCore, type RunningCore } from '../../core/core.ts'
import type { StorageConfig } from '../../storage/config.ts'
import { readTlsFiles, type TlsFiles } from '../../shared/tls/tls-files.ts'
import { rateLimiter } from '../../core/process/limits/rate-limiter.ts'
import type { HeavyWork } from '../../core/records/worker/worker.ts'
import type { SecondFactorPolicy } from '../../core/process/config/second-factor.ts'
import type { SignInWays } from '../../core/process/config/sign-in-ways.ts'
import type { Dialect, Tenancy } from '../../core/records/xapi/dialect.ts'
import { createGateway, type Gateway } from '../../gateway/app.ts'
import type { Scope } from '../../gen/lrs/v1/identity_pb.js'
import { bearer } from './xapi.ts'
import { coreConnection, type CoreClient, type CoreConnection } from './core-client.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { addGame, type Game } from './games.ts'

export interface SystemOptions {
  cores?: 1 | 2
  /** Proxies in front of the gateways; default: none. */
  trustProxy?: number
  /** Each reaches every core. */
  gateways?: 0 | 1 | 2
  dialect?: Dialect
  /** Default: shared. */
  tenancy?: Tenancy
  /** As in core's config; 0, the default: no limits. */
  rateLimitFactor?: number
  /** The same for the bytes that learners send; default: as that. */
  sentFactor?: number
  /** The clock of launch tokens and request limits, in milliseconds. */
  now?: () => number
  /** Passwords cost as much as in core, 30 ms; default: next to nothing. */
  realPasswords?: boolean
  /** Who needs a second factor; default: nobody. */
  secondFactor?: SecondFactorPolicy
  /** How people sign in; default: both. */
  signIn?: SignInWays
  /** Of the puzzle of the contact form; default: as much as in core, a second or two. */
  puzzle?: Work
  /**
   * Core waits as long for the database as in service, 2 s; default: 9 s, for machines that are busy or stand still.
   */
  hasty?: boolean
  /** Milliseconds between two looks for statements to send on; default: as in service. */
  forwardMs?: number
  /** Milliseconds between two looks for what is to be sent to webhooks; default: as in service. */
  webhookMs?: number
  /** The same for grades of learning platforms. */
  gradeMs?: number
  /** Networks that calls to other systems may reach; default: this machine. */
  outgoingAllow?: readonly string[]
  /** Default: no mails. */
  mail?: MailConfig
  /** In place of core's worker thread; each core closes it. */
  work?: HeavyWork
  /** In place of the one whose errors `close` complains about. */
  log?: Logger
  /** Taken over and closed with the system. */
  database?: TestDatabase
  /** Of the role that owns the tables, when that of the database is another one. */
  ownerUrl?: string | undefined
  /** Default: a folder of its own. */
  storage?: StorageConfig
  /** TLS between gateways and cores, whose certificates have the name `core.example`; default: none. */
  tls?: { readonly core: TlsFiles; readonly callers: TlsFiles }
  /** Standbys of the database; default: none. */
  readUrls?: readonly string[]
  /** Databases for cells, by the names of their servers; default: none. */
  cellServers?: ReadonlyMap<string, string>
}

export interface System {
  readonly database: TestDatabase
  readonly cores: readonly RunningCore[]
  readonly gateways: readonly Gateway[]
  /** Of the gateways. */
  readonly urls: readonly string[]
  readonly connections: readonly CoreConnection[]
  /** What core and gateway logged as errors: each is a bug. `close` fails when there is any. */
  readonly errors: string[]
  readonly admin: CoreClient
  game(scopes?: Scope[]): Promise<Game>
  close(): Promise<void>
}

export const tokens = {
  gateway: 'gateway-token-of-the-tests-0123456789',
  portal: 'portal-token-of-the-tests-0123456789',
  player: 'player-token-of-the-tests-0123456789',
  admin: 'admin-token-of-the-tests-0123456789',
  service: 'service-token-of-the-tests-0123456789',
}
export const signingKey = Buffer.alloc(32, 7)
export const secretKey = Buffer.alloc(32, 8)
/** Solved at once. */
export const easyPuzzle: Work = { rounds: 2_000, numbers: { min: 2, max: 10 } }

/** Cores and gateways in this process, on ports of their own and a database of their own. */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const {
    now = Date.now,
    rateLimitFactor = 0,
    sentFactor = rateLimitFactor,
    dialect = 'games',
    tenancy = 'shared',
    puzzle,
    hasty = false,
    secondFactor = 'optional',
    signIn = 'both',
    realPasswords = false,
  } = options
  const database = options.database ?? (await freshDatabase())
  const storageFolder = await mkdtemp(join(tmpdir(), 'lrs-storage-'))
  const errors: string[] = []
  const log =
    options.log ??
    pino({ level: 'error' }, new Writable({ write: (line, _encoding, done) => (errors.push(String(line)), done()) }))
  const config: Config = {
    databaseUrl: database.url,
    migrationDatabaseUrl: options.ownerUrl,
    databaseConnections: 10,
    readUrls: options.readUrls ?? [],
    cellServers: options.cellServers ?? new Map(),
    host: '127.0.0.1',
    port: 0,
    relayPort: 0,
    dialect,
    tenancy,
    rateLimitFactor,
    signingKeys: [signingKey],
    secretKeys: [secretKey],
    secondFactor,
    signIn,
    authorityHome: 'https://lrs.example.org',
    attachmentsMaxBytes: 32 * 1024 * 1024,
    logLevel: 'error',
    logFormat: 'json',
    storage: options.storage ?? { kind: 'local', folder: storageFolder, key: signingKey },
    buildMaxExpanded: 64 * 1024 * 1024,
    mail: options.mail,
    tls: options.tls?.core,
    auditDays: 400,
    outgoingAllow: options.outgoingAllow ?? ['127.0.0.0/8', '::1'],
    ownPorts: [],
    serviceTokens: Object.entries(tokens).map(([role, token]) => ({ role: role as keyof typeof tokens, token })),
  }
  const cores = await Promise.all(
    Array.from({ length: options.cores ?? 1 }, () => {
      const limiter = rateLimitFactor > 0 ? rateLimiter({ factor: rateLimitFactor, windows: 100_000, now }) : undefined
      const sent = sentFactor > 0 ? byteAllowance({ factor: sentFactor, largest: 0, windows: 1_000, now }) : undefined
      const easier = puzzle && { captcha: captcha(signingKey, Date.now, puzzle) }
      const patience = hasty ? undefined : 9_000
      return createCore(config, {
        log,
        limiter,
        sent,
        tokens: launchTokens([signingKey], now),
        patience,
        intervals: {
          mailMs: 50,
          webhookMs: options.webhookMs,
          forwardMs: options.forwardMs,
          gradeMs: options.gradeMs,
        },
        passwords: passwords(realPasswords ? undefined : { memoryCost: 64, timeCost: 1 }),
        ...(options.work && { work: options.work }),
        ...easier,
      })
    }),
  )
  const gateways = Array.from({ length: options.gateways ?? 1 }, () =>
    createGateway(
      {
        host: '127.0.0.1',
        port: 0,
        cores: cores.map(({ relayPort }) => `${options.tls ? 'https' : 'http'}://127.0.0.1:${relayPort}`),
        coreTls: { ...options.tls?.callers, name: 'core.example' },
        serviceToken: tokens.gateway,
        defaultVersion: '1.0.3',
        dialect,
        logLevel: 'error',
        logFormat: 'json',
        relayTimeoutMs: 20_000,
        attachmentsMaxBytes: 32 * 1024 * 1024,
        trustProxy: options.trustProxy ?? 0,
      },
      { log },
    ),
  )
  const urls = await Promise.all(gateways.map(async (gateway) => `http://127.0.0.1:${await gateway.listen()}`))
  const connections = cores.map(({ port }) =>
    coreConnection(port, options.tls && { ...readTlsFiles(options.tls.callers), servername: 'core.example' }),
  )
  return {
    database,
    cores,
    gateways,
    urls,
    connections,
    errors,
    admin: connections[0]!.as(bearer(tokens.admin)),
    game: (scopes) => addGame(connections, urls, tokens.admin, scopes),
    async close() {
      for (const connection of connections) connection.close()
      await Promise.all(gateways.map((gateway) => gateway.close()))
      await Promise.all(cores.map((core) => core.close()))
      await database.close()
      await rm(storageFolder, { recursive: true, force: true })
      if (errors.length > 0)
        throw new Error(`Core or gateway logged ${errors.length} errors, first:\n${errors[0]!.slice(0, 2_000)}`)
    },
  }
}
