import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runningPorts } from './running.ts'
import {
  type Launched,
  allGone,
  endAll,
  eventually,
  freePorts,
  launch,
  postmaster,
  temporaryFolder,
} from './fixtures/launch.ts'

afterAll(endAll)

const bootstrap = join(import.meta.dirname, 'bootstrap.mjs')
const fakes = join(import.meta.dirname, 'fixtures', 'start-fakes.ts')
const last = 'Ctrl-C stops everything'

/** Of those tests that do not ask for a new one: to make a database takes longest. */
const kept = temporaryFolder()

async function settings(folder = temporaryFolder()): Promise<Record<string, string>> {
  const [gateway, portal, core, relay, player] = (await freePorts(5)).map(String)
  return {
    LRS_DATA_DIR: folder,
    GATEWAY_PORT: gateway!,
    PORTAL_PORT: portal!,
    CORE_PORT: core!,
    CORE_RELAY_PORT: relay!,
    PLAYER_PORT: player!,
  }
}

function start(own: Record<string, string>): Launched {
  // so that it ends with this process, however that ends
  const LRS_BOOTSTRAP_PARENT = String(process.pid)
  return launch(process.execPath, [bootstrap, fakes], { env: { ...bare(), LRS_BOOTSTRAP_PARENT, ...own } })
}

/** Without what npm and the surroundings of the test add. */
function bare(): Record<string, string | undefined> {
  const entries = Object.entries(process.env).filter(([name]) => !/^(npm_|LRS_|DATABASE_URL|.*_PORT$)/.test(name))
  return Object.fromEntries(entries)
}

async function ask(port: string | undefined, path = '/'): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).text()
}

/** Everything that runs, by the answers of the parts and the files of Postgres. */
async function pids(
  own: Record<string, string>,
): Promise<Record<'gateway' | 'portal' | 'player' | 'core' | 'postgres' | 'guard', number>> {
  const { GATEWAY_PORT, PORTAL_PORT, PLAYER_PORT, CORE_PORT } = own
  const [gateway, portal, player, core] = (
    await Promise.all([GATEWAY_PORT, PORTAL_PORT, PLAYER_PORT, CORE_PORT].map((port) => ask(port)))
  ).map(Number)
  const dataDir = join(own['LRS_DATA_DIR']!, 'postgres')
  const guard = Number.parseInt(readFileSync(`${dataDir}.lock`, 'utf8'))
  return { gateway: gateway!, portal: portal!, player: player!, core: core!, postgres: postmaster(dataDir), guard }
}

describe('npm start', () => {
  let own: Record<string, string>
  let system: Launched
  beforeAll(async () => {
    own = await settings()
    system = start(own)
    await system.says(last)
  })

  test('prints the addresses, the credential and two curl lines; gives each process its own secrets only', async () => {
    const [, key, secret] = /key {5}(\S+)\n {2}secret {2}(\S+) {2}\(shown only once\)/.exec(system.output())!
    expect(system.output()).toContain(`http://localhost:${own['GATEWAY_PORT']}/xapi`)
    expect(system.output()).toContain(
      'names and agent profiles are shared by all games, as the interface says; LRS_TENANCY=isolated keeps',
    )
    expect(system.output()).toContain(`: LRS_DATA_DIR=${own['LRS_DATA_DIR']} ./games-lrs accounts reviewer <e-mail>\n`)
    expect(system.output().match(new RegExp(`curl -u "${key}:${secret}"`, 'g'))).toHaveLength(2)
    const core = JSON.parse(await ask(own['CORE_PORT'], '/env'))
    const gateway = JSON.parse(await ask(own['GATEWAY_PORT'], '/env'))
    expect(core).toMatchObject({
      LRS_BOOTSTRAP_KEY: key,
      LRS_BOOTSTRAP_SECRET: secret,
      DATABASE_URL: expect.stringContaining('postgres:///lrs'),
    })
    expect(core.LRS_SERVICE_TOKENS).toContain(`gateway=${gateway.LRS_SERVICE_TOKEN}`)
    const player = JSON.parse(await ask(own['PLAYER_PORT'], '/env'))
    expect(core.LRS_SERVICE_TOKENS).toContain(`player=${player.LRS_SERVICE_TOKEN}`)
    expect(player.LRS_STORAGE_DIR).toBe(core.LRS_STORAGE_DIR)
    for (const name of [
      'DATABASE_URL',
      'LRS_SERVICE_TOKENS',
      'LRS_SIGNING_KEY',
      'LRS_SECRET_KEYS',
      'LRS_BOOTSTRAP_SECRET',
      'LRS_STORAGE_KEY',
    ])
      expect(player).not.toHaveProperty(name)
    expect(gateway.CORE_URL).toBe(`http://127.0.0.1:${own['CORE_PORT']}`)
    expect(Object.keys(gateway)).not.toEqual(expect.arrayContaining(['LRS_SIGNING_KEY']))
    for (const name of [
      'DATABASE_URL',
      'LRS_SERVICE_TOKENS',
      'LRS_SIGNING_KEY',
      'LRS_SECRET_KEYS',
      'LRS_BOOTSTRAP_SECRET',
      'LRS_STORAGE_KEY',
    ])
      expect(gateway).not.toHaveProperty(name)
  })

  test('tells on the data folder where it listens, and nothing else', () => {
    const { LRS_DATA_DIR, ...ports } = own
    const numbers = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, Number(port)]))
    expect(runningPorts(LRS_DATA_DIR!)).toEqual(numbers)
    expect(JSON.parse(readFileSync(join(LRS_DATA_DIR!, 'running.json'), 'utf8'))).toEqual({
      process: expect.stringMatching(/^\d+ /),
      ports: numbers,
    })
  })

  test('passes warnings on', async () => {
    await ask(own['PORTAL_PORT'], '/warn')
    await system.says(/portal +warning: a warning \(request r1\)/)
  })

  test('starts a killed process again, and the others carry on', async () => {
    const before = await pids(own)
    process.kill(before.core, 'SIGKILL')
    await system.says(/core +was ended by SIGKILL; starting it again$/m)
    await system.says(/core +ready again/)
    const after = await pids(own)
    expect(after).toEqual({ ...before, core: after.core })
    expect(after.core).not.toBe(before.core)
  })

  test('starts a killed Postgres again, and one whose guard was killed', async () => {
    const before = await pids(own)
    process.kill(before.postgres, 'SIGKILL')
    await system.says(/postgres +was ended by SIGKILL; starting it again$/m)
    await system.says(/postgres +ready again/)
    const between = await pids(own)
    expect(between.core).toBe(before.core)
    const from = system.output().length
    process.kill(between.guard, 'SIGKILL')
    await system.says(`stopped the one that an earlier start left behind (process ${between.postgres})`, from)
    await system.says(/postgres +ready again/, from)
    await allGone([between.postgres], 0)
  })

  test('a second start on the same folder, or on a used port, is told so', async () => {
    const same = start({ ...own, ...(await settings()), LRS_DATA_DIR: own['LRS_DATA_DIR']! })
    await same.says(`is in use by another start (process ${system.process.pid})`)
    expect(await same.exited).toBe(1)
    const port = own['PORTAL_PORT']!
    const used = start({ ...(await settings()), PORTAL_PORT: port })
    await used.says(`Port ${port} is in use: stop what uses it, or set PORTAL_PORT.`)
    expect(await used.exited).toBe(1)
  })

  test('SIGINT, twice as under npm, ends all in order; the next start keeps the data and shows no secret', async () => {
    const running = Object.values(await pids(own))
    system.process.kill('SIGINT')
    setTimeout(() => system.process.kill('SIGINT'), 5)
    expect(await system.exited).toBe(0)
    await allGone(running, 0)
    expect(existsSync(join(own['LRS_DATA_DIR']!, 'running.json'))).toBe(false)
    expect(readFileSync(join(own['LRS_DATA_DIR']!, 'logs', 'core.log'), 'utf8')).toContain('closing')
    expect(readFileSync(join(own['LRS_DATA_DIR']!, 'logs', 'postgres.log'), 'utf8')).toContain(
      'database system is shut down',
    )

    const again = start(own)
    await again.says(last)
    expect(again.output()).toContain('secret  was shown at the first start')
    again.process.kill('SIGTERM')
    expect(await again.exited).toBe(0)
  })
})

test('SIGKILL of the parent leaves nothing, and the next start is not hindered', async () => {
  const own = await settings(kept)
  const first = start(own)
  await first.says(last)
  const running = Object.values(await pids(own))
  first.process.kill('SIGKILL')
  await first.exited
  // its ports may be anybody's now
  expect([existsSync(join(kept, 'running.json')), runningPorts(kept)]).toEqual([true, undefined])
  const second = start(own)
  await allGone(running, 30_000)
  await second.says(last)
  second.process.kill('SIGTERM')
  expect(await second.exited).toBe(0)
})

test('SIGKILL of npm leaves nothing; npm gets the signals through', async () => {
  const own = await settings(kept)
  const folder = temporaryFolder()
  const command = `exec node ${JSON.stringify(bootstrap)} ${JSON.stringify(fakes)}`
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start: command } }))
  const env = { ...bare(), ...own }
  const npm = launch('npm', ['start'], { cwd: folder, env })
  await npm.says(last)
  const running = Object.values(await pids(own))
  npm.process.kill('SIGKILL')
  await allGone(running, 30_000)
  await eventually(
    () => !existsSync(join(own['LRS_DATA_DIR']!, 'start.lock')),
    () => 'release of the lock',
  )
  const again = launch('npm', ['start'], { cwd: folder, env })
  await again.says(last)
  again.process.kill('SIGINT')
  await again.exited
  expect(again.output()).toContain('Stopping')
  await allGone(Object.values(running), 0)
})

test('a second Ctrl-C ends at once', async () => {
  const own = await settings(kept)
  const system = start({ ...own, FAKE_HANGS: 'GATEWAY_PORT' })
  await system.says(last)
  const running = Object.values(await pids(own))
  system.process.kill('SIGINT')
  await system.says('Stopping')
  await new Promise((done) => setTimeout(done, 700))
  system.process.kill('SIGINT')
  expect(await system.exited).toBe(130)
  await allGone(running, 30_000)
})

test('a wrong setting stops the start with one line, of whichever process it is', async () => {
  const wrong = start({ ...(await settings()), GATEWAY_PORT: '80x' })
  expect(await wrong.exited).toBe(2)
  expect(wrong.output()).toBe('GATEWAY_PORT is "80x", but must be a whole number from 0 to 65535.\n')
  const below = start({ ...(await settings(kept)), FAKE_REFUSES: 'GATEWAY_PORT' })
  expect(await below.exited).toBe(1)
  expect(below.output()).toContain('gateway: LRS_DIALECT is "x", but must be "games" or "xapi".')
  const folder = join(temporaryFolder(), 'a-file')
  writeFileSync(folder, '')
  const unusable = start({ ...(await settings()), LRS_DATA_DIR: folder })
  expect(await unusable.exited).toBe(1)
  expect(unusable.output()).toMatch(
    /The data folder .*a-file cannot be used \(ENOTDIR.*\): start as its owner, or set LRS_DATA_DIR\./,
  )
})

test('with DATABASE_URL no Postgres is started', async () => {
  const own = await settings()
  const system = start({ ...own, DATABASE_URL: 'postgres://u:p@db.example/lrs', LRS_BOOTSTRAP_SECRET: 'chosen' })
  await system.says(last)
  expect(system.output()).not.toContain('postgres  ready')
  expect(system.output()).not.toContain('chosen')
  expect(JSON.parse(await ask(own['CORE_PORT'], '/env')).DATABASE_URL).toBe('postgres://u:p@db.example/lrs')
  expect(readFileSync(join(own['LRS_DATA_DIR']!, 'secrets.json'), 'utf8')).toContain('"db.example/lrs"')
  system.process.kill('SIGTERM')
  expect(await system.exited).toBe(0)
})

test.runIf(process.platform === 'linux')(
  'two cores and two gateways run, each is started again, and all end',
  async () => {
    const own: Record<string, string> = { ...(await settings(kept)), LRS_GATEWAYS: '2', LRS_CORES: '2' }
    const system = start(own)
    await system.says(last)
    const at = (setting: 'CORE_PORT' | 'GATEWAY_PORT', more: number) => ask(String(Number(own[setting]) + more))
    const cores = [await at('CORE_PORT', 0), await at('CORE_PORT', 100)]
    const gateways = [await at('GATEWAY_PORT', 100), await at('GATEWAY_PORT', 200)]
    expect(new Set([...cores, ...gateways]).size).toBe(4)
    const { CORE_RELAY_URL } = JSON.parse(await ask(own['GATEWAY_PORT'], '/env'))
    const relay = Number(own['CORE_RELAY_PORT'])
    expect(CORE_RELAY_URL).toBe(`http://127.0.0.1:${relay},http://127.0.0.1:${relay + 100}`)
    for (const pid of [cores[1], gateways[1]]) process.kill(Number(pid), 'SIGKILL')
    await system.says(/core-2 +ready again/)
    await system.says(/gateway-2 +ready again/)
    expect([await at('CORE_PORT', 0), await at('GATEWAY_PORT', 100)]).toEqual([cores[0], gateways[0]])
    system.process.kill('SIGTERM')
    expect(await system.exited).toBe(0)
    await allGone([...cores, ...gateways].map(Number), 0)
  },
)
