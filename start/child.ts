import { spawn } from 'node:child_process'
import type { Env } from '../shared/settings/kinds.ts'
import type { Exit, Run } from './run.ts'
import { v8Flags } from './v8-flags.ts'
import { openLog } from './log-file.ts'
import { warningReader } from './warnings.ts'

export interface ChildOptions {
  script: string
  env: Env
  log: string
  /** Whether it can serve; called until it returns true. */
  probe: () => Promise<boolean>
  onWarning: (text: string) => void
}

/** Milliseconds that a process may take to finish its work. */
const stopMs = 10_000

/** Runs one of our processes. Its stdin is a pipe from this process; the pipe ends when this process does. */
export function runChild(options: ChildOptions): Run {
  const log = openLog(options.log)
  // detached: Ctrl-C in a terminal reaches only this process, which ends the others in order
  const child = spawn(process.execPath, [...v8Flags, options.script], {
    env: { ...options.env, LRS_PARENT_PIPE: '1' },
    detached: true,
    stdio: 'pipe',
  })
  const warnings = warningReader(options.onWarning)
  let cries = ''
  child.stdin.on('error', () => {})
  child.stdout.on('data', (bytes: Buffer) => {
    log.write(bytes)
    warnings(bytes)
  })
  child.stderr.on('data', (bytes: Buffer) => {
    log.write(bytes)
    cries = (cries + bytes).slice(-8000)
  })
  let over = false
  const exited = new Promise<Exit>((done) => {
    const end = (exit: Exit): void => {
      if (!over) log.close()
      over = true
      done(exit)
    }
    child.once('error', (error) => end({ how: error.message, lasting: false }))
    child.once('close', (code, signal) => end(exitOf(code, signal, cries)))
  })
  const signal = (name: NodeJS.Signals): void => {
    try {
      if (!over && child.pid !== undefined) process.kill(-child.pid, name)
    } catch {
      // it has ended in between
    }
  }
  return {
    ready: until(options.probe, () => over),
    exited,
    async stop() {
      signal('SIGTERM')
      const timer = setTimeout(signal, stopMs, 'SIGKILL')
      await exited
      clearTimeout(timer)
    },
    kill: () => signal('SIGKILL'),
  }
}

function exitOf(code: number | null, signal: NodeJS.Signals | null, cries: string): Exit {
  if (signal !== null) return { how: `was ended by ${signal}`, lasting: false }
  const lines = cries.split('\n').filter((line) => line.trim() !== '')
  // exit code 2 of our processes: a wrong setting, named in one line
  if (code === 2) return { how: lines.at(-1) ?? 'refused its settings', lasting: true }
  // "core cannot start: …" from runProcess, or an uncaught error
  const gist = lines.find((line) => /^(?:\w+ cannot start|(?:\w+ )?\[?\w*(?:Error|Problem)\b.*):/.test(line))
  return { how: `exited with code ${code}${gist === undefined ? '' : ` (${gist.slice(0, 300)})`}`, lasting: false }
}

async function until(probe: () => Promise<boolean>, isOver: () => boolean): Promise<void> {
  for (let waitMs = 15; !(await probe()); waitMs = Math.min(waitMs * 1.2, 200)) {
    if (isOver()) return new Promise(() => {})
    await new Promise((done) => setTimeout(done, waitMs))
  }
  if (isOver()) return new Promise(() => {})
}
