import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from '../arms.ts'
import { freePort } from '../processes.ts'
import { progress } from '../progress.ts'
import type { Suite } from '../suite.ts'
import { isReady } from '../system.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** `npm start` until the gateway can serve: with an empty data folder, and again. */
export const start: Suite = {
  name: 'start',
  once: true,
  async run({ folder, rounds, size }) {
    const cold: number[] = []
    const warm: number[] = []
    for (let round = 0; round < rounds; round++) {
      progress(`start: round ${round + 1} of ${rounds}`)
      const dataDir = join(folder, `start-${round}`)
      cold.push(await secondsToStart(dataDir))
      warm.push(await secondsToStart(dataDir))
    }
    progress(`start: cold ${median(cold).toFixed(1)} s, warm ${median(warm).toFixed(1)} s`, true)
    return [
      { suite: 'start', measure: 'npm start, warm', size, unit: 's', value: median(warm), goal: { atMost: 2 } },
      {
        suite: 'start',
        measure: 'npm start, cold after install',
        size,
        unit: 's',
        value: median(cold),
        goal: { atMost: 8 },
      },
    ]
  },
}

async function secondsToStart(dataDir: string): Promise<number> {
  const [gateway, portal, core, relay] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const env = {
    PATH: process.env['PATH'],
    LRS_DATA_DIR: dataDir,
    GATEWAY_PORT: String(gateway),
    PORTAL_PORT: String(portal),
    CORE_PORT: String(core),
    CORE_RELAY_PORT: String(relay),
    CORE_RELAY_URL: `http://127.0.0.1:${relay}`,
  }
  const begin = performance.now()
  const child = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let cries = ''
  child.stderr.on('data', (bytes) => void (cries += bytes))
  let over = false
  const exited = new Promise<void>((done) => child.once('close', () => done(void (over = true))))
  while (!(await isReady(gateway))) {
    if (over || performance.now() - begin > 60_000) throw new Error(`npm start did not come up: ${cries.slice(-1000)}`)
    await new Promise((done) => setTimeout(done, 10))
  }
  const seconds = (performance.now() - begin) / 1000
  child.kill('SIGTERM')
  await exited
  return seconds
}
