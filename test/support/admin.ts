import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { launch, type Launched } from '../../start/fixtures/launch.ts'
import type { CommandLine } from './admin-host.ts'

const root = resolve(import.meta.dirname, '..', '..')
const NODE_COMPILE_CACHE = join(root, 'node_modules', '.cache', 'node')

export interface Said {
  code: number | string
  out: string
  error: string
}

/** The command line as a process of its own. */
export interface Command extends Launched {
  /** So far. */
  said: Omit<Said, 'code'>
  /** When it has ended. */
  ended: Promise<Said>
}

export interface CommandOptions {
  env?: Record<string, string>
  cwd?: string
  /** What is on stdin; without: nothing. */
  input?: string
  /** Stdin stays open, as a person's does. */
  holdInput?: boolean
}

/** None of the settings of whoever runs the tests reach a command line. */
const environment = (env: Record<string, string>) => ({
  PATH: process.env['PATH'],
  HOME: '/nowhere',
  NODE_COMPILE_CACHE,
  ...env,
})

/** Starts the command line as a process of its own. */
export function command(
  args: readonly string[],
  { env = {}, cwd = root, input, holdInput }: CommandOptions = {},
): Command {
  const launched = launch(process.execPath, [join(root, 'admin', 'main.ts'), ...args], {
    cwd,
    env: environment(env),
    stdio: [input === undefined && !holdInput ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  const { process: child, exited } = launched
  if (!holdInput) child.stdin?.end(input)
  const said = { out: '', error: '' }
  child.stdout!.setEncoding('utf8').on('data', (text) => (said.out += text))
  child.stderr!.setEncoding('utf8').on('data', (text) => (said.error += text))
  const closed = new Promise((done) => child.once('close', done))
  const ended = Promise.all([exited, closed]).then(([code]) => ({
    code,
    out: said.out.trimEnd(),
    error: said.error.trimEnd(),
  }))
  return { ...launched, said, ended }
}

let host: ChildProcess | undefined
let before: Promise<unknown> = Promise.resolve()

/** Runs the command line to its end, all of a file in one process: `command` is for what a process is by itself, by its streams and signals. */
export function run(args: readonly string[], options: CommandOptions = {}): Promise<Said> {
  if (options.input !== undefined) return command(args, options).ended
  const said = before.then(() => runHosted({ args, env: environment(options.env ?? {}), cwd: options.cwd ?? root }))
  before = said.catch(() => {})
  return said
}

async function runHosted(line: CommandLine): Promise<Said> {
  if (host === undefined) {
    host = fork(join(import.meta.dirname, 'admin-host.ts'), {
      env: environment({}),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    host.unref()
    host.channel!.unref()
  }
  const ended = new AbortController()
  const end = (code: number | null, signal: string | null) =>
    ended.abort(new Error(`The host of ${line.args.join(' ')} ended: ${code ?? signal}`))
  host.once('exit', end)
  try {
    host.send(line)
    const [said] = await once(host, 'message', { signal: ended.signal })
    return said as Said
  } catch (error) {
    host = undefined
    throw ended.signal.aborted ? ended.signal.reason : error
  } finally {
    host?.removeListener('exit', end)
  }
}

export const done = (out: unknown, error: unknown = ''): object => ({ code: 0, out, error })
export const failed = (error: RegExp, code: number = 1): object => ({
  code,
  out: '',
  error: expect.stringMatching(error),
})
