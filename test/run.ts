// Runs everything that has to pass: `npm test`, or parts of it: `npm test -- test/order.test.ts -t follows`.
import { type ChildProcess, fork } from 'node:child_process'
import { getPriority, setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import { startPostgres, type Postgres } from '../start/postgres.ts'
import { makeRunFolder } from './support/run-folder.ts'
import { makeTemplate } from './support/template.ts'

const root = resolve(import.meta.dirname, '..')
const parameters = process.argv.slice(2)
const folder = makeRunFolder()
let postgres: Postgres | undefined
const children = new Set<ChildProcess>()
let stopped = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopped = true
    for (const child of children) child.kill('SIGTERM')
  })
}

try {
  process.exitCode = await run()
} finally {
  await postgres?.stop()
  folder.remove()
}

/**
 * Runs the tests on a Postgres of their own. When everything is to be run, types, lint and contract are checked beside
 * them, with the time that the tests leave: they often wait.
 */
async function run(): Promise<number> {
  postgres = await startPostgres({
    dataDir: join(folder.path, 'postgres'),
    durable: false,
    package: process.env.LRS_TEST_POSTGRES,
    settings: { max_connections: 300, max_wal_size: '256MB' },
  })
  const database = await makeTemplate(postgres.url)
  if (stopped) return 130
  const tests = script('test/run-vitest.ts', { TMPDIR: folder.tmp, LRS_TEST_DATABASE: database })
  const checked = parameters.length > 0 ? 0 : await check()
  if (tests.child.connected) tests.child.send(checked)
  const code = await tests.ended
  return stopped ? 130 : code
}

function check(): Promise<number> {
  const { child, ended } = script('start/check.ts')
  setPriority(child.pid!, Math.min(19, getPriority() + 10))
  return ended
}

/** A process of its own, because vitest ends its process at once on a signal. */
function script(name: string, env: Record<string, string> = {}): { child: ChildProcess; ended: Promise<number> } {
  const child = fork(join(root, name), parameters, {
    cwd: root,
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'), ...env },
  })
  children.add(child)
  const ended = new Promise<number>((done, fail) => child.once('exit', (code) => done(code ?? 1)).once('error', fail))
  return { child, ended: ended.finally(() => children.delete(child)) }
}
