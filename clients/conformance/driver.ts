import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Runtime } from './drivers.ts'

/** What a client told of a statement that was refused, or of its credential. */
export interface Told {
  readonly status: number
  readonly message: string
  /** Of the statement. */
  readonly id?: string
}

export class DriverError extends Error {
  readonly status: number
  constructor({ status, message }: Told) {
    super(message)
    this.status = status
  }
}

/** A client in its runtime: a process that takes commands, one line of JSON each (clients/README.md). */
export interface Driver {
  // oxlint-disable-next-line typescript/no-explicit-any
  do(name: string, parameters?: object): Promise<any>
  /** What the client told the game. */
  readonly told: Told[]
  /** SIGKILL to it and to all that it started. */
  kill(): Promise<void>
  /** Its exit code. */
  readonly ended: Promise<number | string>
}

/** @param folder keeps the queue */
export async function startDriver(
  { command, args }: Runtime,
  folder: string,
  env: Record<string, string> = {},
): Promise<Driver> {
  const listening = createServer().listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const port = (listening.address() as AddressInfo).port
  let output = ''
  const child = spawn(command, args, {
    env: { ...process.env, DRIVER_PORT: `${port}`, DRIVER_FOLDER: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
  const ended = new Promise<number | string>((done) => {
    child.once('error', (error) => done(error.message))
    child.once('exit', (code, signal) => done(code ?? signal!))
  })
  const failed = ended.then((how) => Promise.reject(new Error(`${command} ended (${how}):\n${output.slice(-4_000)}`)))
  failed.catch(() => {})
  const [socket] = (await Promise.race([once(listening, 'connection'), failed])) as [Socket]
  listening.close()

  const told: Told[] = []
  const waiting = new Map<number, { done(value: unknown): void; fail(error: Error): void }>()
  createInterface(socket).on('line', (line) => {
    const { n, ok, error, event, ...rest } = JSON.parse(line)
    if (event === 'error') return void told.push(rest)
    const one = waiting.get(n)
    waiting.delete(n)
    if (error) one?.fail(new DriverError(error))
    else one?.done(ok)
  })
  socket.on('error', () => {})
  failed.catch((error: Error) => {
    for (const one of waiting.values()) one.fail(error)
  })
  let last = 0
  return {
    told,
    ended,
    do: (name, parameters = {}) =>
      new Promise((done, fail) => {
        waiting.set(++last, { done, fail })
        socket.write(`${JSON.stringify({ n: last, do: name, ...parameters })}\n`)
      }),
    async kill() {
      for (const pid of familyOf(child.pid!)) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // it has ended
        }
      }
      await ended
    },
  }
}

/** The process and all that descend from it. Without /proc: the process alone. */
function familyOf(pid: number): number[] {
  const parents = new Map<number, number>()
  try {
    for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))!
        parents.set(Number(name), Number(parent))
      } catch {
        // it has ended
      }
    }
  } catch {
    return [pid]
  }
  const family = [pid]
  for (const one of family) for (const [child, parent] of parents) if (parent === one) family.push(child)
  return family
}
