// Runs one of our scripts on any machine with Node 20 and npm: `node start/bootstrap.mjs <script.ts> [arguments]`.
// Installs the packages of package-lock.json if they are missing, then runs the script on the Node that the project
// pins. Packages that only tests and benches need are installed when one of them runs. Install scripts of packages
// never run. Plain JavaScript without dependencies, because it runs before any are installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { delimiter, dirname, join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
const stamp = join(modules, '.lrs-installed')
const lockFile = join(root, '.cache', 'install.lock')
const oldest = 26
/** Scripts that need development packages. */
const development = /^(test|bench|examples|start\/(check|write-))/

const [script, ...args] = process.argv.slice(2)
if (script === undefined) fail('Usage: node start/bootstrap.mjs <script.ts> [arguments]')

const all = development.test(relative(root, resolve(script)).replaceAll('\\', '/'))
if (process.env.LRS_BOOTSTRAP_PARENT === undefined && !installed()) await install()
const node = pinnedNode()
if (node === undefined && Number.parseInt(process.versions.node) < oldest) {
  const { version, platform, arch } = process
  fail(`This needs Node ${oldest} or later: npm has none for ${platform}-${arch} and the one in use is ${version}.`)
}
const nested = process.env.LRS_BOOTSTRAP_PARENT
if (node === undefined || nested !== undefined || node.version === process.version) await runHere()
else runOn(node.path)

/** Whether node_modules has the packages that this script needs. With the stamp, the check takes a millisecond. */
function installed() {
  const lock = readFileSync(join(root, 'package-lock.json'))
  const key = stampOf(lock)
  const stamped = read(stamp)
  if (stamped === key || (!all && stamped === stampOf(lock, true))) return true
  const hidden = read(join(modules, '.package-lock.json'))
  if (hidden === undefined) return false
  const present = JSON.parse(hidden).packages
  const complete = Object.entries(JSON.parse(String(lock)).packages).every(
    ([path, wanted]) =>
      path === '' ||
      (wanted.dev && !all) ||
      !isForHere(wanted) ||
      (present[path] !== undefined && present[path].integrity === wanted.integrity),
  )
  if (complete) writeFileSync(stamp, key)
  return complete
}

function stampOf(lock, whole = all) {
  const hash = createHash('sha256').update(lock).digest('hex')
  return `${hash} ${process.platform}-${process.arch}${whole ? '' : ' without development'}`
}

function isForHere({ optional, os, cpu, libc }) {
  if (!optional) return true
  // npm writes a list, or a single value as the package has it
  const names = (list, own) => [list ?? []].flat().includes(own)
  return libc === undefined && names(os, process.platform) && names(cpu, process.arch)
}

/** Runs npm, or waits while another bootstrap runs it. */
async function install() {
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink())
    fail('node_modules is a link, and installing would empty what it leads to: remove the link, then start again.')
  mkdirSync(dirname(lockFile), { recursive: true })
  while (!takeLock()) {
    await sleep(200)
    if (installed()) return
  }
  const beat = setInterval(() => utimesSync(lockFile, new Date(), new Date()), 1000)
  try {
    if (installed()) return
    console.error(`Installing the packages of package-lock.json for ${all ? 'tests' : 'running'} (once) …`)
    const code = await npm()
    if (code !== 0) fail(`npm ended with code ${code}: first solve the problem that it reports above.`, 1)
    writeFileSync(stamp, stampOf(readFileSync(join(root, 'package-lock.json'))))
  } finally {
    clearInterval(beat)
    rmSync(lockFile, { force: true })
  }
}

/**
 * Takes the lock file, which contains the process ids of its holder and of npm. The lock is free when both have ended,
 * or when it was not touched for 15 s.
 */
function takeLock() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  try {
    const alive = (read(lockFile) ?? '').split(' ').some((pid) => Number(pid) > 0 && isAlive(Number(pid)))
    const age = Date.now() - statSync(lockFile).mtimeMs
    if (age > 15_000 || (!alive && age > 1000)) rmSync(lockFile, { force: true })
  } catch {
    // the file has gone in between: the next attempt shows
  }
  return false
}

/** `npm ci` removes node_modules first. Packages of this lockfile may be in use, so tests only add to them. */
function npm() {
  const adds = all && read(stamp) === stampOf(readFileSync(join(root, 'package-lock.json')), false)
  const command = adds ? ['install', '--no-save'] : ['ci', ...(all ? [] : ['--omit=dev'])]
  // npm puts node_modules/.bin first in PATH, but that is about to be replaced, with the node inside it
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.startsWith(modules))
  const env = { ...process.env, PATH: path.join(delimiter) }
  const flags = [...command, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { npm_execpath: cli = '', npm_node_execpath: npmNode = '' } = process.env
  const known = cli.endsWith('npm-cli.js') && existsSync(npmNode) && !npmNode.startsWith(modules)
  const [program, ...rest] = known ? [npmNode, cli, ...flags] : ['npm', ...flags]
  const child = spawn(program, rest, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
  if (child.pid !== undefined) writeFileSync(lockFile, `${process.pid} ${child.pid}`)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      child.kill(signal)
      rmSync(lockFile, { force: true })
      process.exit(1)
    })
  }
  return new Promise((done) => {
    child.once('error', () => fail('npm is not in the PATH: it comes with Node (https://nodejs.org).', 1))
    child.once('exit', (code) => done(code ?? 1))
  }).finally(() => ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach((signal) => process.removeAllListeners(signal)))
}

/** The Node of package-lock.json for this machine: its binary and its version as in process.version. */
function pinnedNode() {
  for (const name of [`node-${process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`]) {
    const path = join(modules, name, 'bin', 'node')
    if (existsSync(path)) return { path, version: `v${JSON.parse(read(join(modules, name, 'package.json'))).version}` }
  }
}

async function runHere() {
  delete process.env.LRS_BOOTSTRAP_PARENT
  if (nested !== undefined || process.env.npm_lifecycle_event !== undefined)
    stopWithParent(Number(nested) || process.ppid)
  module.enableCompileCache?.(join(modules, '.cache', 'node'))
  const file = resolve(script)
  process.argv = [process.argv[0], file, ...args]
  await import(pathToFileURL(file).href)
}

/** Ends this process within 15 s after npm, or the bootstrap on the older Node, was killed. */
function stopWithParent(parent) {
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    setTimeout(() => process.exit(1), 15_000).unref()
    process.kill(process.pid, 'SIGTERM')
  }, 250)
  timer.unref()
}

function runOn(path) {
  const env = {
    ...process.env,
    PATH: `${join(modules, '.bin')}${delimiter}${process.env.PATH ?? ''}`,
    LRS_BOOTSTRAP_PARENT: String(process.pid),
    // for commands that start a program of the user
    LRS_BOOTSTRAP_PATH: process.env.PATH ?? '',
  }
  const child = spawn(path, [...process.execArgv, fileURLToPath(import.meta.url), resolve(script), ...args], {
    env,
    stdio: 'inherit',
  })
  let last = -Infinity
  const forward = (signal) => {
    // Ctrl-C arrives from the terminal and from npm: once is enough
    if (performance.now() - last > 300) child.kill(signal)
    last = performance.now()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  if (process.env.npm_lifecycle_event !== undefined) stopWithParent(process.ppid)
  child.once('error', (error) => fail(`The Node of the project does not run here (${error.code}): ${path}`, 1))
  child.once('exit', (code, signal) => {
    for (const name of signals) process.removeListener(name, forward)
    if (signal) process.kill(process.pid, signal)
    else process.exit(code)
  })
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function fail(line, code = 2) {
  console.error(line)
  process.exit(code)
}
