import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { GuardLine, GuardOptions } from './postgres/guard.ts'
import type { ServerSettings } from './postgres/server-settings.ts'

export interface PostgresOptions {
  /** The folder of the cluster; it and its parents are made if missing. */
  dataDir: string
  /** `false` for data that is thrown away: no write waits for the disk. */
  durable?: boolean
  /** Settings of the server that override ours, such as `{ max_connections: 200 }`. */
  settings?: ServerSettings
  /** The server's log; `<dataDir>.log` if not given. */
  log?: string
  /** Bytes of the disk that stay free. With less the server takes no writes, until there is room again; 0: no limit. */
  reserve?: number
  /** Folder of another Postgres package of npm. */
  package?: string
  /** Called with lines for people, for instance that an earlier server had to be ended. */
  onNote?: (text: string) => void
}

export interface Postgres {
  /** URL of the database `lrs`, for its owner, who may create further databases. */
  url: string
  /** URL of the database `postgres`, for the superuser. */
  adminUrl: string
  /** Such as 18.4. */
  version: string
  /** The cluster was made by this start. */
  fresh: boolean
  /** The server's process. */
  pid: number
  /** The guard's process. If it is killed, the server goes on, and the next start ends the server. */
  guardPid: number
  /** Settles when the server has ended, with the way it ended. */
  exited: Promise<string>
  /** Fast shutdown; the server ends within 12 s. */
  stop(): Promise<void>
  /** Ends it at once; the next start recovers. */
  kill(): void
}

/** Postgres could not start; `lasting`: another attempt would fail in the same way. */
export class PostgresError extends Error {
  override name = 'PostgresError'
  lasting: boolean
  constructor(message: string, lasting: boolean) {
    super(message)
    this.lasting = lasting
  }
}

/**
 * Starts a Postgres from npm on a data folder. It listens only on a socket in a private folder. It ends with this
 * process, however that ends. Throws a PostgresError of one line.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const dataDir = resolve(options.dataDir)
  const { durable = true, settings = {}, log = `${dataDir}.log` } = options
  const { reserve, package: other } = options
  const guardOptions: GuardOptions = { dataDir, durable, settings, log: resolve(log), reserve, package: other }
  const guardFile = fileURLToPath(new URL('postgres/guard.ts', import.meta.url))
  // detached: Ctrl-C in a terminal is for the process that was started there, which ends the others in order
  const guard = spawn(process.execPath, [guardFile, JSON.stringify(guardOptions)], { detached: true, stdio: 'pipe' })
  guard.stdin.on('error', () => {})
  let problem: Extract<GuardLine, { is: 'problem' }> | undefined
  let cries = ''
  guard.stderr.on('data', (bytes: Buffer) => void (cries = (cries + bytes).slice(-4000)))
  const exited = new Promise<string>((done) => {
    guard.once('error', (error) => done(error.message))
    guard.once('close', (code, signal) => {
      done(problem?.text ?? (signal ? `lost its guard (${signal})` : cries.trim() || `exited with code ${code}`))
    })
  })
  const ready = new Promise<Extract<GuardLine, { is: 'ready' }>>((done) => {
    createInterface(guard.stdout).on('line', (text) => {
      const line: GuardLine = JSON.parse(text)
      if (line.is === 'note') options.onNote?.(line.text)
      else if (line.is === 'ready') done(line)
      else problem = line
    })
  })
  const outcome = await Promise.race([ready, exited])
  if (typeof outcome === 'string') throw new PostgresError(outcome, problem?.lasting ?? false)
  const { socketDir, version, fresh, pid } = outcome
  return {
    url: urlOf('lrs', 'lrs', socketDir),
    adminUrl: urlOf('postgres', 'postgres', socketDir),
    version,
    fresh,
    pid,
    guardPid: guard.pid!,
    exited,
    async stop() {
      guard.stdin.write('stop\n')
      await exited
    },
    kill: () => void guard.stdin.write('quit\n'),
  }
}

/** The port and the rest are explicit, so that PGPORT and PGSSLMODE of the environment do not count. */
function urlOf(user: string, database: string, socketDir: string): string {
  return `postgres:///${database}?host=${encodeURIComponent(socketDir)}&port=5432&user=${user}&sslmode=disable`
}
