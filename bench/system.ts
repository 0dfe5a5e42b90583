import { mkdirSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { Client } from 'pg'
import { openStore, type Store } from '../core/store.ts'
import { answers } from '../start/ports.ts'
import type { Postgres } from '../start/postgres.ts'
import type { Env } from '../shared/settings/kinds.ts'
import { fill, type Credential } from './fill.ts'
import { bootstrap, keyOf } from './keys.ts'
import { freePort, freePorts, startProcess, type Running } from './processes.ts'
import type { Shape } from './shapes/shape.ts'

const token = 'bench-token-of-the-gateway-0123456789'
const signingKey = Buffer.alloc(32, 7).toString('base64url')

/** Core and gateway as processes of their own over one database. */
export interface System {
  databaseUrl: string
  port: number
  /** Of core, for gRPC and Connect. */
  corePort: number
  core: Running
  gateway: Running
  /** All of them. */
  pids: { gateway: number[]; core: number[] }
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
  /** Processes of each kind; gateways share a port. */
  cores?: number
  gateways?: number
}

export const coreMain = new URL('../core/main.ts', import.meta.url)
export const gatewayMain = new URL('../gateway/main.ts', import.meta.url)
/** What takes the place of one of them, for floors. */
export const standIn = (name: 'core' | 'gateway' | 'echo') => new URL(`./stand-ins/${name}.ts`, import.meta.url)

export async function startSystem(options: SystemOptions): Promise<System> {
  const { databaseUrl, folder, rateLimits = 'off', profile = false } = options
  mkdirSync(folder, { recursive: true })
  const { cores: coreCount = 1, gateways: gatewayCount = 1 } = options
  const [corePorts, relayPorts] = [await freePorts(coreCount), await freePorts(coreCount)]
  const [port, ownPorts] = [await freePort(), await freePorts(gatewayCount)]
  const shared: Env = {
    PATH: process.env['PATH'],
    LRS_RATE_LIMITS: rateLimits,
    NODE_OPTIONS: profile ? `--cpu-prof --cpu-prof-dir=${join(folder, 'profiles')}` : undefined,
  }
  const cores: Running[] = []
  for (const [n, relayPort] of relayPorts.entries()) {
    const env = {
      ...shared,
      DATABASE_URL: databaseUrl,
      CORE_PORT: String(corePorts[n]),
      CORE_RELAY_PORT: String(relayPort),
      LRS_SIGNING_KEY: signingKey,
      LRS_SECRET_KEYS: signingKey,
      LRS_SERVICE_TOKENS: `gateway=${token}`,
      LRS_BOOTSTRAP_KEY: bootstrap.key,
      LRS_BOOTSTRAP_SECRET: bootstrap.secret,
      LRS_STORAGE_DIR: join(folder, 'storage'),
      LRS_STORAGE_KEY: signingKey,
    }
    cores.push(
      await startProcess(options.coreScript ?? coreMain, env, join(folder, 'core.log'), () => answers(relayPort)),
    )
  }
  const gateways: Running[] = []
  for (const ownPort of ownPorts) {
    const env = {
      ...shared,
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      CORE_RELAY_URL: relayPorts.map((relayPort) => `http://127.0.0.1:${relayPort}`).join(','),
      LRS_SERVICE_TOKEN: token,
      GATEWAY_OWN_PORT: gatewayCount === 1 ? undefined : String(ownPort),
    }
    const probe = () => isReady(gatewayCount === 1 ? port : ownPort)
    gateways.push(await startProcess(options.gatewayScript ?? gatewayMain, env, join(folder, 'gateway.log'), probe))
  }
  return {
    databaseUrl,
    port,
    corePort: corePorts[0]!,
    core: cores[0]!,
    gateway: gateways[0]!,
    pids: { gateway: gateways.map(({ pid }) => pid), core: cores.map(({ pid }) => pid) },
    async stop() {
      for (const one of [...gateways, ...cores]) await one.stop()
    },
  }
}

/**
 * A database of this name with the store's tables, a credential for each game of the shape and `size` statements; kept if
 * it is there already.
 */
export async function prepareDatabase(
  postgres: Postgres,
  name: string,
  shape: Shape,
  size: number,
  onProgress: (done: number) => void,
) {
  const databaseUrl = await createDatabase(postgres, name)
  const store = openStore({ url: databaseUrl, connections: 4, wait: 5_000, statementTimeout: 600_000 })
  try {
    await store.migrate()
    const credentials = await credentialsOf(store, databaseUrl, shape.games)
    const filled = await withClient(databaseUrl, async (client) =>
      Number((await client.query('select count(*) from statement')).rows[0].count),
    )
    if (filled < size) {
      await fill(store, credentials, shape, filled, size, onProgress)
      await withClient(databaseUrl, (client) => client.query('vacuum analyze'))
      await withClient(postgres.adminUrl, (client) => client.query('checkpoint'))
    }
    return { databaseUrl, credentials }
  } finally {
    await store.close()
  }
}

/** The name of the database of a shape and a size, or of another purpose. */
export const databaseName = ({ name }: Shape, size: number | string): string =>
  `bench_${name}_${size}`.replaceAll('-', '_')

export function dropDatabase(postgres: Postgres, name: string): Promise<unknown> {
  return withClient(postgres.url, (client) => client.query(`drop database if exists "${name}" with (force)`))
}

/** An empty database unless there is one of this name. */
export async function createDatabase(postgres: Postgres, name: string): Promise<string> {
  await withClient(postgres.url, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database "${name}"`)
  })
  return postgres.url.replace('postgres:///lrs?', `postgres:///${name}?`)
}

/** One for each game of a shape, with one secret for all. */
export async function credentialsOf(store: Store, databaseUrl: string, games: number): Promise<Credential[]> {
  const { bootstrap: addFirst } = await import('../core/games/command/credentials.ts')
  await addFirst(store, 'https://games-lrs.example', bootstrap)
  return withClient(databaseUrl, async (client) => {
    await client.query(
      `with one as (select * from credential where key = $1),
        games as (insert into game (name) select 'game ' || n from unnest($2::text[]) with ordinality u (key, n)
          where not exists (select from credential where key = u.key) returning id),
        numbered as (select id, row_number() over () as n from games)
      insert into credential (key, game, secret_hash, authority, scopes)
      select k.key, g.id, one.secret_hash, one.authority, one.scopes from one, numbered g join unnest($2::text[]) with ordinality k (key, n) using (n)`,
      [keyOf(0), Array.from({ length: games - 1 }, (_, n) => keyOf(n + 1))],
    )
    const { rows } = await client.query<Credential & { key: string }>(
      'select c.key, c.id, c.version, c.game, g.uuid as "gameId", c.authority from credential c join game g on g.id = c.game',
    )
    const byKey = new Map(rows.map((row) => [row.key, row]))
    return Array.from({ length: games }, (_, game) => {
      const found = byKey.get(keyOf(game))
      if (!found) throw new Error('the database holds credentials of another making')
      return {
        id: found.id,
        version: found.version,
        game: found.game,
        gameId: found.gameId,
        authority: found.authority,
      }
    })
  })
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
