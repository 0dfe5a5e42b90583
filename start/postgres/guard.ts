// A process that owns one Postgres: starts it, keeps its log, and ends it on request or when its own parent has ended.
// It writes lines of JSON to stdout, and reads "stop" (fast shutdown) or "quit" (at once) from stdin; the end of stdin
// means that the parent has ended.
import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { mkdirSync, realpathSync, rmdirSync } from 'node:fs'
import { openLog } from '../log-file.ts'
import { type Lock, takeLock } from '../lock.ts'
import { accountFor } from './account.ts'
import { binariesFor } from './binaries.ts'
import { hasCluster, makeCluster, reachableFolder } from './cluster.ts'
import { endOrphan } from './orphan.ts'
import { keepSpace } from './keep-space.ts'
import { type ServerSettings, serverArguments } from './server-settings.ts'
import { socketFolder } from './socket.ts'

export interface GuardOptions {
  dataDir: string
  durable: boolean
  settings: ServerSettings
  log: string
  reserve?: number
  package?: string
}

export type GuardLine =
  | { is: 'note'; text: string }
  | { is: 'ready'; socketDir: string; version: string; fresh: boolean; pid: number }
  /** `lasting`: another start would fail in the same way. */
  | { is: 'problem'; text: string; lasting: boolean }

type Ending = 'stop' | 'quit' | 'left'

const options: GuardOptions = JSON.parse(process.argv[2]!)
const lockWaitMs = 12_000

let endServer: ((ending: Ending) => void) | undefined
let lock: Lock | undefined

function say(line: GuardLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

function leave(code: number): never {
  lock?.release()
  process.exit(code)
}

function onEnding(ending: Ending): void {
  if (endServer !== undefined) endServer(ending)
  else leave(0)
}

process.stdout.on('error', () => {})
process.stdin.on('data', (bytes) => onEnding(String(bytes).startsWith('quit') ? 'quit' : 'stop'))
process.stdin.on('end', () => onEnding('left')).on('error', () => onEnding('left'))
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => onEnding('stop'))

try {
  const server = await prepare()
  leave(await serve(server))
} catch (error) {
  say({ is: 'problem', text: (error as Error).message, lasting: true })
  leave(1)
}

/** Prepares for the server: takes the lock, ends an earlier server, makes the cluster if there is none. */
async function prepare() {
  mkdirSync(dirname(options.dataDir), { recursive: true, mode: 0o700 })
  lock = await lockFolder()
  const account = accountFor(options.dataDir)
  const binaries = binariesFor(account, options.package)
  const fresh = !hasCluster(options.dataDir, binaries)
  if (fresh) {
    if (options.durable) say({ is: 'note', text: `making a database in ${options.dataDir} (once)` })
    await makeCluster(options.dataDir, binaries, account, options.durable)
  }
  const dataDir = realpathSync(options.dataDir)
  const socketDir = socketFolder(dataDir, account)
  const orphan = await endOrphan(dataDir, socketDir)
  if (orphan !== undefined)
    say({ is: 'note', text: `stopped the one that an earlier start left behind (process ${orphan})` })
  return { dataDir, socketDir, binaries, fresh, place: reachableFolder(dataDir, account) }
}

/** Takes the lock. It waits, because a guard whose parent was killed may still be ending its server. */
async function lockFolder(): Promise<Lock> {
  for (const until = performance.now() + lockWaitMs; ;) {
    const taken = takeLock(`${options.dataDir}.lock`)
    if ('release' in taken) return taken
    if (performance.now() > until)
      throw new Error(`${options.dataDir} is in use by another start (process ${taken.holder}).`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** Runs the server until it ends. Returns the exit code of this process. */
function serve({ dataDir, socketDir, binaries, fresh, place }: Awaited<ReturnType<typeof prepare>>): Promise<number> {
  const log = openLog(options.log)
  const where = socketDir === dataDir ? '.' : socketDir
  const args = serverArguments(options.durable, { unix_socket_directories: where, ...options.settings })
  const server = spawn(binaries.postgres, ['-D', place.folder, ...args], {
    ...place.options,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let ending: Ending | undefined
  let ready = false
  let said = ''
  server.stderr.on('data', (bytes: Buffer) => {
    log.write(bytes)
    if (ready) return
    said = (said + bytes).slice(-8000)
    if (!/database system is ready to accept (read-only )?connections/.test(said)) return
    ready = true
    said = ''
    say({ is: 'ready', socketDir, version: binaries.version, fresh, pid: server.pid! })
    keepSpace({ dataDir, socketDir, reserve: options.reserve, note: (text) => say({ is: 'note', text }) })
  })
  endServer = (asked) => {
    if (ending === 'quit' || asked === ending) return
    ending = asked
    server.kill(asked === 'quit' ? 'SIGQUIT' : 'SIGINT')
    // nobody waits once the parent has ended, and a second start may follow soon
    const patienceMs = asked === 'stop' ? 10_000 : asked === 'left' ? 3000 : 1500
    setTimeout(() => server.kill('SIGQUIT'), patienceMs).unref()
    setTimeout(() => server.kill('SIGKILL'), patienceMs + 1500).unref()
  }
  return new Promise((done, failed) => {
    server.once('error', failed)
    server.once('close', (code, signal) => {
      if (ending !== undefined) {
        if (socketDir !== dataDir) rmdirSync(socketDir)
        return done(0)
      }
      const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`
      say({ is: 'problem', text: ready ? how : (reasonIn(said) ?? how), lasting: false })
      done(3)
    })
  })
}

function reasonIn(said: string): string | undefined {
  const lines = said.split('\n').map((line) => /(?:FATAL|PANIC|HINT):\s+(.*)/.exec(line)?.[1])
  return lines.filter((line) => line !== undefined).join(' ') || undefined
}
