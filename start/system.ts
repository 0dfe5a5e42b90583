import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from './config.ts'
import type { Env } from '../shared/settings/kinds.ts'
import { type DemoCredential, openSecrets } from './secrets.ts'
import { type Part, type Scripts, parts } from './parts.ts'
import { type Supervised, supervise } from './supervise.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import type { Run } from './run.ts'
import { isRefused, requireFree } from './ports.ts'
import { databaseHosts } from '../shared/settings/database-hosts.ts'
import { portsOf } from './port-plan.ts'
import { noteRunning } from './running.ts'
import { runChild } from './child.ts'
import { takeLock } from './lock.ts'

export interface SystemOptions {
  config: Config
  env: Env
  scripts: Scripts
  say: (part: string, line: string) => void
}

export interface System {
  /** The credential of the demo game, once everything can serve; rejects with one line if that fails. */
  ready: Promise<{ demo: DemoCredential; isNew: boolean; refused: boolean; shown: () => void }>
  /** Stops gateway, portal and player, then core, then Postgres. */
  stop(): Promise<void>
  /** Ends all of them at once. */
  kill(): void
}

/** Milliseconds that processes of an earlier start get to end by themselves. */
const leftoverMs = 6000
const readyMs = 60_000
/** The gateway is ready after Postgres and core, each of which may take `readyMs`. */
const gatewayReadyMs = 3 * readyMs

/** Starts everything in order, and keeps it running until `stop`. */
export function startSystem(options: SystemOptions): System {
  const { config, say } = options
  /** In the order in which they stop. */
  const tiers = { facing: [] as Supervised[], core: [] as Supervised[], postgres: [] as Supervised[] }
  let stopping = false
  let release = (): void => {}

  const bring = (name: string, start: () => Run | Promise<Run>, within = readyMs): Supervised => {
    const part = supervise(start, (line) => say(name, line))
    part.ready = named(name, config, part.ready, within)
    part.ready.catch(() => {})
    return part
  }

  const up = async () => {
    const lock = usable(config, () => {
      makeFolder(config.dataDir)
      return takeLock(join(config.dataDir, 'start.lock'))
    })
    if ('holder' in lock) {
      throw new Error(
        `${config.dataDir} is in use by another start (process ${lock.holder}): stop that one, or set LRS_DATA_DIR.`,
      )
    }
    release = lock.release
    await requireFree(portsOf(config), lock.wasLeft ? leftoverMs : 0)
    const { gatewayPort, portalPort, corePort, relayPort, playerPort } = config
    const ports = {
      GATEWAY_PORT: gatewayPort,
      PORTAL_PORT: portalPort,
      CORE_PORT: corePort,
      CORE_RELAY_PORT: relayPort,
      PLAYER_PORT: playerPort,
    }
    const forget = usable(config, () => noteRunning(config.dataDir, ports))
    release = () => {
      forget()
      lock.release()
    }
    const secrets = usable(config, () => openSecrets(config))
    const { gateways, cores, pages } = parts(config, secrets, options.env)
    // the processor limits a start: gateways load their code while Postgres starts, portal and player start last
    const fronts = gateways.map((part) => launch(part, gatewayReadyMs))
    tiers.facing.push(...fronts)
    const database =
      config.databaseUrl === undefined
        ? await embedded()
        : { url: config.databaseUrl, fresh: false, store: storeOf(config.databaseUrl) }
    const demo = secrets.demoCredential(database.store, database.fresh)
    if (stopping) return halted()
    const [firstCore, ...otherCores] = cores(database.url, demo)
    const running = launch(firstCore!)
    tiers.core.push(running)
    // a failure of a gateway is reported without waiting for core
    await Promise.race([running, ...fronts].map((part) => part.ready))
    if (stopping) return halted()
    // the first core has made the tables
    await running.ready
    if (stopping) return halted()
    tiers.core.push(...otherCores.map((part) => launch(part)))
    tiers.facing.push(...pages.map((part) => launch(part)))
    await Promise.all([...tiers.core, ...tiers.facing].map((part) => part.ready))
    const isNew = demo.secret !== undefined && config.bootstrapSecret === undefined
    const refused = demo.secret !== undefined && (await isRefused(gatewayPort, demo.key, demo.secret))
    return { demo, isNew, refused, shown: () => secrets.shown(database.store) }
  }

  const launch = (part: Part, within?: number): Supervised => {
    const began = performance.now()
    const { kind, name, env, probe } = part
    const log = join(config.dataDir, 'logs', `${name}.log`)
    const supervised = bring(
      name,
      () => runChild({ script: options.scripts[kind], env, log, probe, onWarning: (text) => say(name, text) }),
      within,
    )
    void supervised.ready.then(
      () => say(name, `ready after ${Math.round(performance.now() - began)} ms  ${part.address}`),
      () => {},
    )
    return supervised
  }

  const embedded = async () => {
    const began = performance.now()
    let first: Postgres | undefined
    const server = bring('postgres', async () => {
      const postgres = await startPostgres({
        dataDir: join(config.dataDir, 'postgres'),
        reserve: config.diskReserve,
        log: join(config.dataDir, 'logs', 'postgres.log'),
        onNote: (text) => say('postgres', text),
      })
      first ??= postgres
      return {
        ready: Promise.resolve(),
        exited: postgres.exited.then((how) => ({ how, lasting: false })),
        stop: postgres.stop,
        kill: postgres.kill,
      }
    })
    tiers.postgres.push(server)
    await server.ready
    const { url, fresh, version } = first!
    say('postgres', `ready after ${Math.round(performance.now() - began)} ms  version ${version}`)
    return { url, fresh, store: 'embedded' }
  }

  const stopAll = async (): Promise<void> => {
    for (const tier of Object.values(tiers)) await Promise.all(tier.map((part) => part.stop()))
    release()
  }

  /** A start that is stopped before it is ready never becomes ready. */
  const halted = (): Promise<never> => stopAll().then(() => new Promise<never>(() => {}))

  return {
    ready: up(),
    async stop() {
      stopping = true
      await stopAll()
    },
    kill() {
      stopping = true
      for (const part of Object.values(tiers).flat()) part.kill()
    },
  }
}

/** Makes a folder and those above it. Node's own recursion never ends below /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o755 })
}

/** Adds the folder and advice to errors of the file system (EACCES, EPERM, EROFS, EEXIST …). */
function usable<T>({ dataDir }: Config, use: () => T): T {
  try {
    return use()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw new Error(
      `The data folder ${dataDir} cannot be used (${(error as Error).message}): ` +
        'start as its owner, or set LRS_DATA_DIR.',
      { cause: error },
    )
  }
}

/** Adds the name of the part to its failure, and gives up a part that is neither ready nor ended in time. */
async function named(name: string, config: Config, ready: Promise<void>, within: number): Promise<void> {
  const log = join(config.dataDir, 'logs', `${name}.log`)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, failed) => {
    timer = setTimeout(() => failed(new Error(`is not ready after ${within / 1000} s`)), within)
  })
  try {
    await Promise.race([ready, late])
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}\nIts log: ${log}`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** The key of notes about a database: its address, without a password. */
function storeOf(databaseUrl: string): string {
  // the first of several servers represents all
  const [first] = databaseHosts(databaseUrl).urls as [string]
  const { host, pathname, searchParams } = URL.parse(first) ?? new URL(first.replace('@/', '@localhost/'))
  return `${searchParams.get('host') ?? host}${pathname}`
}
