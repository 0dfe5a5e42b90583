import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts, eventually } from '../../start/fixtures/launch.ts'
import { accountFor } from '../../start/postgres/account.ts'
import { ask } from './by-hand.ts'
import { type Cluster, postgresPrograms, programOf } from './cluster.ts'

const names = ['one', 'two'] as const
/** Seconds; Patroni takes no `ttl` below 20. It counts when a whole machine is lost. */
const dcs = { ttl: 20, loop_wait: 2, retry_timeout: 5 }

/** What is missing here; undefined: nothing. */
export function missingForPatroni(): string | undefined {
  const missing = ['patroni', 'etcd'].filter((name) => programOf(name) === undefined)
  if (postgresPrograms() === undefined) missing.push('the programs of a Postgres, with pg_basebackup and pg_rewind')
  return missing.length === 0 ? undefined : missing.join(', ')
}

interface Member {
  name: string
  role: string
  state: string
  port: number
}

/** One etcd and two Patronis, each with a server of the Postgres that is installed; the standby is synchronous. */
export async function patroniCluster(
  folder: string,
): Promise<Cluster & { killMachine(): Promise<void>; healed(): Promise<void> }> {
  const account = accountFor(folder)
  const [etcdPort, peerPort, ...ports] = (await freePorts(6)) as [number, number, ...number[]]
  const rest = { one: ports[0]!, two: ports[1]! }
  const server = { one: ports[2]!, two: ports[3]! }
  const running = new Map<string, ChildProcess>()

  function run(name: string, program: string, args: string[]): ChildProcess {
    const log = openSync(join(folder, `${name}.log`), 'a')
    const env = {
      PATH: `${postgresPrograms()!}:${process.env['PATH']}`,
      LC_ALL: 'C.UTF-8',
      HOME: folder,
    }
    const child = spawn(program, args, { ...account, env, cwd: folder, stdio: ['ignore', log, log] })
    running.set(name, child)
    // a Patroni that ends stops its server
    process.once('exit', () => child.kill('SIGTERM'))
    return child
  }

  const settings = (name: (typeof names)[number]) => ({
    scope: 'lrs',
    name,
    restapi: { listen: `127.0.0.1:${rest[name]}`, connect_address: `127.0.0.1:${rest[name]}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ...dcs,
        synchronous_mode: true,
        // a primary that ended is not started again first: the standby takes over at once
        primary_start_timeout: 0,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, wal_keep_size: '512MB' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${server[name]}`,
      connect_address: `127.0.0.1:${server[name]}`,
      data_dir: join(folder, name),
      bin_dir: postgresPrograms()!,
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'postgres' } },
      parameters: { unix_socket_directories: '' },
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    },
    watchdog: { mode: 'off' },
  })
  // JSON is YAML
  for (const name of names) writeFileSync(join(folder, `${name}.yml`), JSON.stringify(settings(name)), { mode: 0o644 })
  const startPatroni = (name: (typeof names)[number]) => run(name, programOf('patroni')!, [join(folder, `${name}.yml`)])

  async function members(): Promise<Member[]> {
    for (const name of names) {
      const answer = await fetch(`http://127.0.0.1:${rest[name]}/cluster`, {
        signal: AbortSignal.timeout(1_000),
      }).catch(() => undefined)
      if (answer?.ok) return ((await answer.json()) as { members: Member[] }).members
    }
    return []
  }
  const leader = async () => (await members()).find(({ role, state }) => role === 'leader' && state === 'running')
  const healed = () =>
    eventually(
      async () => (await leader()) !== undefined && (await members()).some(({ role }) => role === 'sync_standby'),
      () => `a leader and a synchronous standby (logs: ${folder})`,
      90_000,
    )
  const address = (port: number, user = 'lrs', name = 'lrs') => `postgres://${user}@127.0.0.1:${port}/${name}`
  const postmaster = (name: string) => Number.parseInt(readFileSync(join(folder, name, 'postmaster.pid'), 'utf8'))

  mkdirSync(join(folder, 'etcd'))
  if (account) for (const path of [folder, join(folder, 'etcd')]) chownSync(path, account.uid, account.gid)
  const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`]
  run('etcd', programOf('etcd')!, [
    ...['--name', 'etcd', '--data-dir', join(folder, 'etcd')],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `etcd=${peer}`],
  ])
  for (const name of names) startPatroni(name)
  await healed()
  const first = address((await leader())!.port, 'postgres', 'postgres')
  await ask(first, 'create role lrs login')
  await ask(first, 'create database lrs owner lrs')

  return {
    url: `postgres://lrs@${names.map((name) => `127.0.0.1:${server[name]}`).join(',')}/lrs?target_session_attrs=read-write`,
    async killPrimary() {
      process.kill(postmaster((await leader())!.name), 'SIGKILL')
    },
    async killMachine() {
      const { name } = (await leader())!
      running.get(name)!.kill('SIGKILL')
      process.kill(postmaster(name), 'SIGKILL')
    },
    healed,
    primary: async () => address((await leader())!.port),
    async close() {
      for (const name of [...names, 'etcd']) {
        const child = running.get(name)!
        if (child.exitCode !== null || child.signalCode !== null) continue
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
    },
  }
}
