import { spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { v8Flags } from '../start/v8-flags.ts'
import type { Env } from '../shared/settings/kinds.ts'

/** A process of ours under load. */
export interface Running {
  pid: number
  stop(): Promise<void>
}

/** Starts a script as `npm start` does and waits until `probe` says that it can serve. */
export async function startProcess(
  script: URL,
  env: Env,
  log: string,
  probe: () => Promise<boolean>,
): Promise<Running> {
  const out = openSync(log, 'a')
  const child = spawn(process.execPath, [...v8Flags, script.pathname], {
    env: { ...env, LRS_PARENT_PIPE: '1' },
    stdio: ['pipe', out, out],
  })
  let over = false
  const exited = new Promise<void>((done) => child.once('close', () => done(void (over = true))))
  const giveUp = performance.now() + 60_000
  while (!(await probe())) {
    if (over || performance.now() > giveUp)
      throw new Error(`${script.pathname} did not start:\n${readFileSync(log, 'utf8').slice(-2000)}`)
    await new Promise((done) => setTimeout(done, 20))
  }
  return {
    pid: child.pid!,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** A port that nobody uses at the moment. */
export function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => done(port))
    })
  })
}

/** Several of them. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}
