// Runs everything that has to pass: `npm test`, or parts of it: `npm test -- test/order.test.ts -t follower`.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseCLI, startVitest, type TestModule, type Vitest } from 'vitest/node'
import { startPostgres, type Postgres } from '../start/postgres.ts'
import { makeTemplate } from './support/template.ts'

const root = resolve(import.meta.dirname, '..')
const check = join(root, 'start', 'check.ts')
const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)])
const everything = process.argv.length === 2

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-test-run-')))
let postgres: Postgres | undefined
let vitest: Vitest | undefined
let ending: Promise<void> | undefined

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end().then(() => process.exit(130)))

try {
  process.exitCode = await run()
} finally {
  await end()
}

async function run(): Promise<number> {
  const checked = everything && existsSync(check) ? await runCheck() : 0
  postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false, settings: { max_connections: 300 } })
  process.env['LRS_TEST_DATABASE'] = await makeTemplate(postgres.url)
  vitest = await startVitest('test', filter, { ...options, root, watch: false })
  const { passed, failed, skipped } = count(vitest.state.getTestModules(), vitest.state.getUnhandledErrors().length + checked)
  await vitest.close()
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
  return failed > 0 || passed === 0 ? 1 : 0
}

/** Types, lint and generated code; 1 when something is wrong there. */
function runCheck(): Promise<number> {
  const child = spawn(process.execPath, [check], { cwd: root, stdio: 'inherit' })
  return new Promise((done) => child.once('exit', (code) => done(code === 0 ? 0 : 1)).once('error', () => done(1)))
}

/** @param failed what failed beside tests; a file that could not be read, or whose hooks failed, counts as one too */
function count(modules: TestModule[], failed: number) {
  const counts = { passed: 0, failed, skipped: 0 }
  for (const module of modules) {
    let failures = 0
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed') counts.passed++
      else if (state === 'failed') failures++
      else counts.skipped++
    }
    counts.failed += failures === 0 && module.state() === 'failed' ? 1 : failures
  }
  return counts
}

/** Ends what this run has started and removes its folder, once. */
function end(): Promise<void> {
  ending ??= (async () => {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })()
  return ending
}
