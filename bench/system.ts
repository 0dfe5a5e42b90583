import { mkdirSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { Client } from 'pg'
import { openStore, type Store } from '../core/store/store.ts'
import { answers } from '../start/ports.ts'
import type { Postgres } from '../start/postgres.ts'
import type { Env } from '../start/settings.ts'
import { fill, type Credential } from './fill.ts'
import { freePort, startProcess, type Running } from './processes.ts'

export const key = 'bench'
const secret = 'bench-secret-of-enough-length'
export const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
const token = 'bench-token-of-the-gateway-0123456789'
const signingKey = Buffer.alloc(32, 7).toString('base64url')

/** Core and gateway as processes of their own over one database. */
export interface System {
  databaseUrl: string
  port: number
  core: Running
  gateway: Running
  stop(): Promise<void>
}

export interface SystemOptions {
  databaseUrl: string
  /** Where logs and, if wanted, CPU profiles go. */
  folder: string
  rateLimits?: 'on' | 'off'
  profile?: boolean
  /** In place of core's own: one without Postgres. */
  coreScript?: URL
  gatewayScript?: URL
}

export const coreMain = new URL('../core/main.ts', import.meta.url)
export const gatewayMain = new URL('../gateway/main.ts', import.meta.url)
/** What takes the place of one of them, for floors. */
export const standIn = (name: 'core' | 'gateway') => new URL(`./stand-ins/${name}.ts`, import.meta.url)

export async function startSystem(options: SystemOptions): Promise<System> {
  const { databaseUrl, folder, rateLimits = 'off', profile = false } = options
  mkdirSync(folder, { recursive: true })
  const [corePort, relayPort, port] = [await freePort(), await freePort(), await freePort()]
  const shared: Env = {
    PATH: process.env['PATH'],
    LRS_RATE_LIMITS: rateLimits,
    NODE_OPTIONS: profile ? `--cpu-prof --cpu-prof-dir=${join(folder, 'profiles')}` : undefined,
  }
  const core = await startProcess(
    options.coreScript ?? coreMain,
    {
      ...shared, DATABASE_URL: databaseUrl, CORE_PORT: String(corePort), CORE_RELAY_PORT: String(relayPort), LRS_SIGNING_KEY: signingKey,
      LRS_SERVICE_TOKENS: `gateway=${token}`, LRS_BOOTSTRAP_KEY: key, LRS_BOOTSTRAP_SECRET: secret,
      LRS_STORAGE_DIR: join(folder, 'storage'), LRS_STORAGE_KEY: signingKey,
    },
    join(folder, 'core.log'),
    () => answers(relayPort),
  )
  const gateway = await startProcess(
    options.gatewayScript ?? gatewayMain,
    { ...shared, GATEWAY_HOST: '127.0.0.1', GATEWAY_PORT: String(port), CORE_RELAY_URL: `http://127.0.0.1:${relayPort}`, LRS_SERVICE_TOKEN: token },
    join(folder, 'gateway.log'),
    () => isReady(port),
  )
  return {
    databaseUrl, port, core, gateway,
    async stop() {
      await gateway.stop()
      await core.stop()
    },
  }
}

/** A database of this name with the store's tables, the bench's credential and `size` statements; kept if it is there already. */
export async function prepareDatabase(postgres: Postgres, name: string, size: number, onProgress: (done: number) => void) {
  const databaseUrl = postgres.url.replace('postgres:///lrs?', `postgres:///${name}?`)
  await withClient(postgres.url, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${name}`)
  })
  const store = openStore({ url: databaseUrl, connections: 4, wait: 5_000, statementTimeout: 600_000 })
  try {
    await store.migrate()
    const credential = await credentialOf(store)
    const filled = await withClient(databaseUrl, async (client) => Number((await client.query('select count(*) from statement')).rows[0].count))
    if (filled < size) {
      await fill(store, credential, filled, size, onProgress)
      await withClient(databaseUrl, (client) => client.query('vacuum analyze'))
      await withClient(postgres.adminUrl, (client) => client.query('checkpoint'))
    }
    return { databaseUrl, credential }
  } finally {
    await store.close()
  }
}

async function credentialOf(store: Store): Promise<Credential> {
  const { bootstrap } = await import('../core/command/credentials.ts')
  await bootstrap(store, 'https://games-lrs.example', { key, secret })
  const found = await store.credentials.find(key)
  if (!found) throw new Error('the database holds credentials of another making')
  return { id: found.id, version: found.version, game: found.game, gameId: found.gameId, authority: found.authority }
}

export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Whether the gateway on this port can serve. */
export function isReady(port: number): Promise<boolean> {
  return new Promise((done) => {
    get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (response) => {
      response.resume()
      done(response.statusCode === 200)
    }).once('error', () => done(false))
  })
}
