import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { eventually, freePorts } from '../../start/fixtures/launch.ts'
import { v8Flags } from '../../start/v8-flags.ts'
import type { Scope } from '../../gen/lrs/v1/identity_pb.js'
import { coreConnection, type CoreConnection } from './core-client.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { addGame, type Game } from './games.ts'
import { secretKey, signingKey, tokens } from './system.ts'

const root = resolve(import.meta.dirname, '..', '..')

export interface Processes {
  readonly database: TestDatabase
  /** Where files of studios are. */
  readonly storageFolder: string
  readonly connections: readonly CoreConnection[]
  /** Of the cores. */
  readonly ports: readonly { readonly port: number; readonly relayPort: number }[]
  /** Of the cores. */
  readonly coreUrls: readonly string[]
  /** Of the gateways. */
  readonly urls: readonly string[]
  /** Everything that the processes wrote to their output. */
  output(): string
  /** Process ids: of core n, of gateway n. */
  pids(): { cores: number[]; gateways: number[] }
  game(scopes?: Scope[]): Promise<Game>
  /** SIGKILL to core n. */
  killCore(core: number): Promise<void>
  /** A new process on the ports of core n, which was killed. */
  reviveCore(core: number): Promise<void>
  /** Both. */
  crashCore(core: number): Promise<void>
  /** The same of gateway n. */
  crashGateway(gateway: number): Promise<void>
  close(): Promise<void>
}

export interface ProcessOptions {
  cores?: number
  gateways?: number
  env?: Record<string, string>
  /** Taken over and closed with the processes. */
  database?: TestDatabase
  /** Folder with the source of the first core: of an earlier version. `reviveCore` starts the others, of this one. */
  firstCore?: string
}

/** The same system as real processes, each started from its main.ts. They end with this one, however that ends. */
export async function startProcesses({
  cores = 1,
  gateways = 1,
  env = {},
  database: given,
  firstCore = root,
}: ProcessOptions = {}): Promise<Processes> {
  const database = given ?? (await freshDatabase())
  const storageFolder = env['LRS_STORAGE_DIR'] ?? (await mkdtemp(join(tmpdir(), 'lrs-storage-')))
  const ports = await freePorts(cores * 2 + gateways)
  const [corePorts, relayPorts, gatewayPorts] = [
    ports.slice(0, cores),
    ports.slice(cores, cores * 2),
    ports.slice(cores * 2),
  ]
  let output = ''
  const keep = (text: string): void => void (output += text)
  const shared = { LRS_RATE_LIMITS: 'off', LRS_LOG_LEVEL: 'info', ...env }
  const startCore = (core: number) =>
    start(keep, core === 0 ? firstCore : root, 'core/main.ts', /core is ready/, {
      ...shared,
      DATABASE_URL: database.url,
      CORE_PORT: `${corePorts[core]}`,
      CORE_RELAY_PORT: `${relayPorts[core]}`,
      LRS_SIGNING_KEY: signingKey.toString('base64url'),
      LRS_SECRET_KEYS: secretKey.toString('base64url'),
      LRS_STORAGE_DIR: storageFolder,
      LRS_STORAGE_KEY: signingKey.toString('base64url'),
      LRS_SERVICE_TOKENS: Object.entries(tokens)
        .map(([role, token]) => `${role}=${token}`)
        .join(),
    })
  const begun = firstCore === root ? corePorts : corePorts.slice(0, 1)
  const running = await Promise.all(begun.map((_, core) => startCore(core)))
  const urls = gatewayPorts.map((port) => `http://127.0.0.1:${port}`)
  const startGateway = (gateway: number) =>
    start(keep, root, 'gateway/main.ts', /connected to core/, {
      ...shared,
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: `${gatewayPorts[gateway]}`,
      LRS_SERVICE_TOKEN: tokens.gateway,
      CORE_RELAY_URL: relayPorts.map((port) => `http://127.0.0.1:${port}`).join(),
    })
  const others = await Promise.all(gatewayPorts.map((_, gateway) => startGateway(gateway)))
  for (const url of urls)
    await eventually(
      () =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      () => `${url} ready`,
    )
  const connections = corePorts.map((port) => coreConnection(port))
  const killCore = (core: number): Promise<void> => end(running[core]!, 'SIGKILL')
  const reviveCore = async (core: number): Promise<void> => void (running[core] = await startCore(core))
  return {
    database,
    storageFolder,
    connections,
    urls,
    coreUrls: corePorts.map((port) => `http://127.0.0.1:${port}`),
    ports: corePorts.map((port, core) => ({ port, relayPort: relayPorts[core]! })),
    output: () => output,
    pids: () => ({ cores: running.map(({ pid }) => pid!), gateways: others.map(({ pid }) => pid!) }),
    game: (scopes) => addGame(connections, urls, tokens.admin, scopes),
    killCore,
    reviveCore,
    async crashCore(core) {
      await killCore(core)
      await reviveCore(core)
    },
    async crashGateway(gateway) {
      await end(others[gateway]!, 'SIGKILL')
      others[gateway] = await startGateway(gateway)
    },
    async close() {
      for (const connection of connections) connection.close()
      await Promise.all([...others, ...running].map((child) => end(child, 'SIGTERM')))
      await database.close()
      await rm(storageFolder, { recursive: true, force: true })
    },
  }
}

/** Resolves when the process has logged that it is ready. */
function start(
  keep: (text: string) => void,
  folder: string,
  script: string,
  ready: RegExp,
  env: Record<string, string>,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...v8Flags, resolve(folder, script)], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
      LRS_PARENT_PIPE: '1',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let said = ''
  return new Promise((done, fail) => {
    child.once('exit', (code, signal) => fail(new Error(`${script} ended (${code ?? signal}): ${said}`)))
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        said = `${said}${line}\n`.slice(-4_000)
        keep(`${line}\n`)
        if (ready.test(line)) done(child)
      })
    }
  })
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((done) => child.once('exit', done))
  child.kill(signal)
  await ended
}
