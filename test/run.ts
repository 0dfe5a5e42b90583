// Runs everything that has to pass: `npm test`, or parts of it: `npm test -- test/order.test.ts -t follows`.
import { type ChildProcess, fork } from 'node:child_process'
import { join, resolve } from 'node:path'
import { startPostgres, type Postgres } from '../start/postgres.ts'
import { makeRunFolder } from './support/run-folder.ts'
import { makeTemplate } from './support/template.ts'

const root = resolve(import.meta.dirname, '..')
const parameters = process.argv.slice(2)
const folder = makeRunFolder()
let postgres: Postgres | undefined
let child: ChildProcess | undefined
let stopped = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopped = true
    child?.kill('SIGTERM')
  })
}

try {
  process.exitCode = await run()
} finally {
  await postgres?.stop()
  folder.remove()
}

/** Checks types, lint and contract when everything is to be run, then the tests on a Postgres of their own. */
async function run(): Promise<number> {
  const checked = parameters.length > 0 || (await script('start/check.ts')) === 0
  if (stopped) return 130
  postgres = await startPostgres({
    dataDir: join(folder.path, 'postgres'),
    durable: false,
    package: process.env.LRS_TEST_POSTGRES,
    settings: { max_connections: 300, max_wal_size: '256MB' },
  })
  const database = await makeTemplate(postgres.url)
  const code = stopped
    ? 130
    : await script('test/run-vitest.ts', {
        TMPDIR: folder.tmp,
        LRS_TEST_DATABASE: database,
        LRS_TEST_FAILED: checked ? '0' : '1',
      })
  return stopped ? 130 : code
}

/** A process of its own, because vitest ends its process at once on a signal. */
function script(name: string, env: Record<string, string> = {}): Promise<number> {
  child = fork(join(root, name), parameters, {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'), ...env },
  })
  return new Promise((done, fail) => child!.once('exit', (code) => done(code ?? 1)).once('error', fail))
}
