import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { allGone, endAll, launch, temporaryFolder } from './fixtures/launch.ts'

afterAll(endAll)

/** A project whose npm writes down that it ran and takes a moment. */
function project(script = 'process.exit(Number(process.argv[2] ?? 0))', npm = '') {
  const root = temporaryFolder()
  const file = (name: string, content: string, mode = 0o644): string => {
    const path = join(root, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, content)
    chmodSync(path, mode)
    return path
  }
  mkdirSync(join(root, 'start'))
  copyFileSync(join(import.meta.dirname, 'bootstrap.mjs'), join(root, 'start', 'bootstrap.mjs'))
  const packages = {
    '': {},
    'node_modules/needed': { integrity: 'sha512-a' },
    'node_modules/elsewhere': { integrity: 'sha512-b', optional: true, os: ['aix'], cpu: ['x64'] },
  }
  file('package-lock.json', JSON.stringify({ packages }))
  const hidden = JSON.stringify({ packages: { 'node_modules/needed': { integrity: 'sha512-a' } } })
  file('hidden.json', hidden)
  const install = `echo run >> runs; sleep 0.3; rm -rf node_modules; mkdir node_modules; cp hidden.json node_modules/.package-lock.json`
  file('bin/npm', `#!/bin/sh\n${npm}\n${install}\n`, 0o755)
  file('script.mjs', script)
  const {
    npm_execpath: _,
    npm_lifecycle_event: __,
    LRS_BOOTSTRAP_PARENT: ___,
    LRS_BOOTSTRAP_PATH: ____,
    ...env
  } = process.env
  const runs = (): number =>
    existsSync(join(root, 'runs')) ? readFileSync(join(root, 'runs'), 'utf8').split('\n').length - 1 : 0
  /** Runs one of the project's scripts. */
  const runScript = (name: string, ...args: string[]) =>
    launch(process.execPath, [join(root, 'start', 'bootstrap.mjs'), join(root, name), ...args], {
      env: { ...env, PATH: [join(root, 'bin'), env['PATH']].join(delimiter) },
    })
  const run = (...args: string[]) => runScript('script.mjs', ...args)
  return { root, file, run, runScript, runs }
}

test('installs once, passes arguments and the exit code on', async () => {
  const { root, run, runs, file } = project()
  const first = run('7')
  expect(await first.exited).toBe(7)
  expect(first.output()).toBe('Installing the packages of package-lock.json for running (once) …\n')
  const second = run()
  expect(await second.exited).toBe(0)
  expect(second.output()).toBe('')
  expect(runs()).toBe(1)
  rmSync(join(root, 'node_modules', '.lrs-installed'))
  expect(await run().exited).toBe(0)
  expect(runs(), 'installed by hand').toBe(1)
  file('package-lock.json', '{"packages":{"":{},"node_modules/needed":{"integrity":"sha512-c"}}}')
  expect(await run().exited).toBe(0)
  expect(runs(), 'another version is named').toBe(2)
})

test('development packages are installed when a test runs; install scripts never run', async () => {
  const { root, file, run, runScript } = project(undefined, 'echo "$@" >> asked')
  file('test/run.mjs', '')
  const packages = {
    '': {},
    'node_modules/needed': { integrity: 'sha512-a' },
    'node_modules/tests': { integrity: 'sha512-c', dev: true },
  }
  file('package-lock.json', JSON.stringify({ packages }))
  const asked = (): string[] => readFileSync(join(root, 'asked'), 'utf8').trim().split('\n')
  expect(await run().exited).toBe(0)
  expect(asked()).toEqual([expect.stringMatching(/^ci --omit=dev --ignore-scripts /)])
  const test = () => runScript('test/run.mjs')
  expect(await test().exited).toBe(0)
  expect(asked()).toEqual([expect.any(String), expect.stringMatching(/^install --no-save --ignore-scripts /)])
  for (const again of [run, test]) expect(await again().exited).toBe(0)
  expect(asked()).toHaveLength(2)
})

test('every package that runs has a hash, on every platform', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; integrity?: string }>
  }
  const without = Object.entries(packages).filter(
    ([path, { dev, integrity }]) => path !== '' && !dev && integrity === undefined,
  )
  expect(without).toEqual([])
})

test('two at once install once, and the lock of one that was killed is no hindrance', async () => {
  const { run, runs } = project()
  expect(await Promise.all([run().exited, run().exited, run().exited])).toEqual([0, 0, 0])
  expect(runs()).toBe(1)
  const killed = project()
  const lock = killed.file('.cache/install.lock', '999999999')
  utimesSync(lock, new Date(0), new Date(0))
  expect(await killed.run().exited).toBe(0)
  const reused = project()
  utimesSync(reused.file('.cache/install.lock', String(process.pid)), new Date(0), new Date(0))
  expect(await reused.run().exited).toBe(0)
})

test('says so when npm fails, and tries again the next time', async () => {
  const { root, run } = project(undefined, '[ -f fixed ] || exit 3')
  const first = run()
  expect(await first.exited).toBe(1)
  expect(first.output()).toContain('npm ended with code 3')
  writeFileSync(join(root, 'fixed'), '')
  expect(await run().exited).toBe(0)
})

test('runs the script on the pinned Node; signals and the killing of the bootstrap reach it', async () => {
  const script = `process.on('SIGTERM', () => process.exit(9)); console.log('pid', process.pid, process.env.PINNED); setInterval(() => {}, 1000)`
  const { root, file, run } = project(script)
  const pinned = `node_modules/node-${process.platform}-${process.arch}`
  file('node_modules/.package-lock.json', readFileSync(join(root, 'hidden.json'), 'utf8'))
  file(`${pinned}/package.json`, '{"version":"99.0.0"}')
  file(`${pinned}/bin/node`, `#!/bin/sh\nPINNED=yes exec ${process.execPath} "$@"\n`, 0o755)
  const first = run()
  await first.says(/pid \d+ yes\n/)
  first.process.kill('SIGTERM')
  expect(await first.exited).toBe(9)
  const second = run()
  await second.says(/pid \d+ yes\n/)
  const pid = Number(/pid (\d+)/.exec(second.output())![1])
  second.process.kill('SIGKILL')
  await allGone([pid], 30_000)
})

test('never installs through a link, which would empty the packages of another folder', async () => {
  const { root, run, runs } = project()
  const other = temporaryFolder()
  writeFileSync(join(other, 'kept'), '')
  symlinkSync(other, join(root, 'node_modules'))
  const refused = run()
  expect(await refused.exited).toBe(2)
  expect(refused.output()).toContain('node_modules is a link')
  expect([runs(), existsSync(join(other, 'kept'))]).toEqual([0, true])
})
