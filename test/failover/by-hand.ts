import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, lchownSync, openSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePorts, eventually } from '../../start/fixtures/launch.ts'
import { accountFor } from '../../start/postgres/account.ts'
import { binariesFor } from '../../start/postgres/binaries.ts'
import { makeCluster, reachableFolder } from '../../start/postgres/cluster.ts'
import { type ServerSettings, serverArguments } from '../../start/postgres/server-settings.ts'
import type { Cluster } from './cluster.ts'

/**
 * Two servers of Postgres from npm, one the synchronous standby of the other, as one sets them up by hand: the standby
 * begins as a copy of the stopped primary. Who promotes it is this program, a second after the primary has ended.
 */
export async function pairByHand(folder: string): Promise<Cluster> {
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  const account = accountFor(first)
  const binaries = binariesFor(account)
  const ports = (await freePorts(2)) as [number, number]
  const address = (port: number, user = 'lrs', name = 'lrs') => `postgres://${user}@127.0.0.1:${port}/${name}`
  const running: ChildProcess[] = []

  async function start(dataDir: string, port: number, settings: ServerSettings): Promise<ChildProcess> {
    const place = reachableFolder(dataDir, account)
    const own = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', max_connections: 100, ...settings }
    const log = openSync(`${dataDir}.log`, 'a')
    const server = spawn(binaries.postgres, ['-D', place.folder, ...serverArguments(true, own)], {
      ...place.options,
      stdio: ['ignore', log, log],
    })
    running.push(server)
    process.once('exit', () => server.kill('SIGQUIT'))
    await eventually(
      () =>
        ask(address(port, 'postgres', 'postgres'), 'select 1').then(
          () => true,
          () => false,
        ),
      () => `the server of ${dataDir} (its log: ${dataDir}.log)`,
    )
    return server
  }

  await makeCluster(first, binaries, account, true)
  cpSync(first, second, { recursive: true })
  if (account) ownAll(second, account.uid, account.gid)
  writeFileSync(join(second, 'standby.signal'), '')
  const primary = await start(first, ports[0], { synchronous_standby_names: 'second', wal_keep_size: '1GB' })
  await start(second, ports[1], {
    primary_conninfo: `host=127.0.0.1 port=${ports[0]} user=postgres application_name=second`,
  })
  await eventually(
    async () =>
      (
        await ask(
          address(ports[0], 'postgres', 'postgres'),
          "select from pg_stat_replication where sync_state = 'sync'",
        )
      ).length === 1,
    () => 'a synchronous standby',
  )
  return {
    url: `postgres://lrs@127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}/lrs?target_session_attrs=read-write`,
    async killPrimary() {
      primary.kill('SIGKILL')
      await once(primary, 'exit')
      await new Promise((done) => setTimeout(done, 1_000))
      await ask(address(ports[1], 'postgres', 'postgres'), 'select pg_promote()')
    },
    primary: async () => address(ports[1]),
    async close() {
      for (const server of running) {
        if (server.exitCode !== null || server.signalCode !== null) continue
        server.kill('SIGINT')
        await once(server, 'exit')
      }
    },
  }
}

export async function ask(url: string, text: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<object>(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

function ownAll(folder: string, uid: number, gid: number): void {
  chownSync(folder, uid, gid)
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(folder, entry), uid, gid)
}
