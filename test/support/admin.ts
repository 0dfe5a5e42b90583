import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { launch, type Launched } from '../../start/fixtures/launch.ts'

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

/** Starts the command line; none of the settings of whoever runs the tests reach it. */
export function command(args: readonly string[], { env = {}, cwd = root, input, holdInput }: CommandOptions = {}): Command {
  const launched = launch(process.execPath, [join(root, 'admin', 'main.ts'), ...args], {
    cwd, env: { PATH: process.env['PATH'], HOME: '/nowhere', NODE_COMPILE_CACHE, ...env }, stdio: [input === undefined && !holdInput ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  const { process: child, exited } = launched
  if (!holdInput) child.stdin?.end(input)
  const said = { out: '', error: '' }
  child.stdout!.setEncoding('utf8').on('data', (text) => (said.out += text))
  child.stderr!.setEncoding('utf8').on('data', (text) => (said.error += text))
  const closed = new Promise((done) => child.once('close', done))
  const ended = Promise.all([exited, closed]).then(([code]) => ({ code, out: said.out.trimEnd(), error: said.error.trimEnd() }))
  return { ...launched, said, ended }
}

/** Runs the command line to its end. */
export const run = (args: readonly string[], options?: CommandOptions): Promise<Said> => command(args, options).ended

export const done = (out: unknown, error: unknown = ''): object => ({ code: 0, out, error })
export const failed = (error: RegExp, code: number = 1): object => ({ code, out: '', error: expect.stringMatching(error) })
