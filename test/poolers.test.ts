import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase, type Database } from '../core/process/database/database.ts'
import { notifications } from '../core/process/database/notifications.ts'
import { setUpFor } from '../core/process/database/wire.ts'
import { openStore } from '../core/store.ts'
import { eventually, freePorts, temporaryFolder } from '../start/fixtures/launch.ts'
import { connectionTo, freshDatabase, type TestDatabase } from './support/database.ts'
import { pooler } from './support/pooler.ts'
import { quietable } from './support/quietable.ts'
import { statements } from './support/statements.ts'
import { startSystem } from './support/system.ts'

/** An outage that only keeps what failed. */
const heard = (failed: string[]) => ({ on: false, failed: (what: string) => void failed.push(what), answered() {} })

const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0
if (!hasPgBouncer)
  process.stderr.write('pgbouncer is not installed: only a stand-in is TESTED (Debian: apt-get install pgbouncer)\n')

let fresh: TestDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.sql('select add_cell()')
  for (const schema of ['public', 'cell_2']) await fresh.sql(`create table ${schema}.kept (x int)`)
})
afterAll(() => fresh.close())
beforeEach(() => fresh.sql('truncate public.kept, cell_2.kept'))

const where = {
  name: 'test_where',
  text: `select current_setting('search_path') as path, this_cell() as cell, current_setting('work_mem') as memory,
    current_setting('statement_timeout') as longest, current_setting('enable_seqscan') as scans`,
}
const insert = { name: 'test_insert', text: 'insert into kept (x) values ($1)' }
const read = { name: 'test_read', text: 'select x from kept' }
const kept = async () =>
  (
    await fresh.sql<{ n: string }>(`select 1 || ':' || x as n from public.kept
    union all select 2 || ':' || x from cell_2.kept order by n`)
  ).map(({ n }) => n)

function open(url: string, cell: number, failed: string[] = []): Database {
  const database = openDatabase({
    url,
    cell,
    connections: 2,
    wait: 5_000,
    statementTimeout: 30_000,
    outage: heard(failed),
  })
  onTestFinished(() => database.close())
  return database
}

test('options in DATABASE_URL are kept, and take none of the settings of core away', async () => {
  const options = '-c work_mem=7MB -c search_path=pg_catalog -c statement_timeout=5000'
  const url = `${fresh.url}&options=${encodeURIComponent(options)}`
  const ours = { memory: '7MB', longest: '30s', scans: 'off' }
  expect(await open(url, 1).run(where, [])).toEqual([{ ...ours, path: 'public', cell: 1 }])
  expect(await open(url, 2).run(where, [])).toEqual([{ ...ours, path: 'cell_2,public', cell: 2 }])
})

test('core begins no empty store beside one that an earlier version has in the schema of its role', async () => {
  const own = await freshDatabase()
  onTestFinished(() => own.close())
  await own.sql('alter schema public rename to lrs')
  await own.sql('create schema public')
  expect(await startAt(own.url)).toEqual([
    1,
    expect.stringMatching(/^The database has a store in the schema lrs, .*\n$/),
  ])
  await own.sql('drop schema public')
  await own.sql('alter schema lrs rename to public')
  expect(await startAt(own.url)).toEqual([0, ''])
})

test('what is stored can be read after a move and the sweep, whatever the options in DATABASE_URL are', async () => {
  const own = await freshDatabase()
  const system = await startSystem({ database: { ...own, url: `${own.url}&options=-c%20work_mem%3D64MB` } })
  onTestFinished(() => system.close())
  await system.admin.cells.addCell({})
  const games = [await system.game(), await system.game()]
  for (const game of games)
    await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(statements(20))) })
  const seen = async () => {
    const pages = await Promise.all(games.map((game) => game.rpc().statements.queryStatements({})))
    return pages.map(({ json }) => json.length)
  }
  await system.admin.cells.moveGame({ gameId: games[1]!.id, cell: 1 })
  await own.sql("update left_cell set moved = now() - interval '2 minutes'")
  while ((await system.cores[0]!.store.cells.sweepLeft()) > 0);
  expect(await seen()).toEqual([20, 20])
})

test('behind a pooler that keeps sessions, and drops options, each cell has its own rows', async () => {
  const way = await pooler(fresh.url)
  const [one, two] = [open(way.url, 1), open(way.url, 2)]
  await Promise.all([one.ownSessions(), two.ownSessions()])
  for (let n = 0; n < 3; n++) await Promise.all([one.run(insert, [n]), two.transaction((run) => run(insert, [n]))])
  expect(await kept()).toEqual(['1:0', '1:1', '1:2', '2:0', '2:1', '2:2'])
})

test('the proof takes no round trip of its own: one for a query, three for a transaction with one', async () => {
  const way = await pooler(fresh.url)
  const database = open(way.url, 2)
  await database.run(read, [])
  const taken = async (work: () => Promise<unknown>) => {
    const before = way.roundTrips()
    await work()
    return way.roundTrips() - before
  }
  expect(await taken(() => database.run(insert, [1]))).toBe(1)
  expect(await taken(() => database.rows(read, []))).toBe(1)
  expect(await taken(() => database.transaction((run) => run(insert, [1])))).toBe(3)
  expect(await taken(() => database.snapshot((run) => run(read, [])))).toBe(3)
})

describe('a session that is given to others', () => {
  const ways: [string, (database: Database) => Promise<unknown>][] = [
    ['a query', (database) => database.run(insert, [7])],
    ['an essential write', (database) => database.essential(insert, [7])],
    ['rows as bytes', (database) => database.rows(read, [])],
    ['a transaction', (database) => database.transaction((run) => run(insert, [7]))],
    ['a snapshot', (database) => database.snapshot((run) => run(read, []))],
  ]

  /** Another connection is set up for a cell, in the session that is free. */
  async function setUpAnother(url: string, cell: number): Promise<void> {
    const client = await connectionTo(url)
    onTestFinished(() => client.end())
    await setUpFor(cell, client)
  }

  test.each(ways)(
    '%s is refused when another cell has the session, and goes on when it has its own',
    async (_, way) => {
      const failed: string[] = []
      const between = await pooler(fresh.url)
      const two = open(between.url, 2, failed)
      between.share(true)
      await two.run(read, [])
      await setUpAnother(between.url, 1)
      await expect(way(two)).rejects.toMatchObject({
        reason: 'unavailable',
        message: 'A connection to the database lost its settings, so nothing was done; try again.',
      })
      expect(between.opened()).toBe(1)
      expect(await kept()).toEqual([])
      expect(two.pool()).toMatchObject({ unproven: 1, used: 0 })
      expect(failed).toEqual([expect.stringMatching(/: "games-lrs: set up for public 1 /)])
      between.share(false)
      await way(two)
      expect((await kept()).filter((row) => row !== '2:7')).toEqual([])
    },
  )

  test('is refused to another connection of the same cell as well: its time limits and locks are its own', async () => {
    const between = await pooler(fresh.url)
    const two = open(between.url, 2)
    between.share(true)
    await two.run(insert, [1])
    await setUpAnother(between.url, 2)
    await expect(two.run(insert, [2])).rejects.toThrow('lost its settings')
    expect(await kept()).toEqual(['2:1'])
  })

  test('a connection that listens is replaced when it has lost its session', async () => {
    const between = await pooler(fresh.url)
    const failed: string[] = []
    const notices = notifications('test_lost', { url: between.url, wait: 300, outage: heard(failed) })
    onTestFinished(() => notices.close())
    let woken = 0
    between.share(true)
    notices.on('a', () => woken++)
    await expect.poll(() => woken).toBe(1)
    await setUpAnother(between.url, 1)
    await expect.poll(() => failed[0]).toMatch(/^the connection that listens broke: the session of a connection is not/)
    between.share(false)
    await expect.poll(() => woken).toBe(2)
  })

  test('core does not start, and one line says what to do', async () => {
    const between = await pooler(fresh.url)
    between.share(true)
    expect(await startAt(between.url)).toEqual([1, refusal])
    const store = openStore({ url: between.url, connections: 2, wait: 5_000, statementTimeout: 30_000 })
    onTestFinished(() => store.close())
    await expect(store.migrate()).rejects.toThrow(refusal.trim())
  })
})

const refusal =
  'The address of the database leads to a pooler that gives the session of one connection to another: ' +
  'let it keep sessions (PgBouncer: pool_mode = session), or name Postgres itself.\n'

/** Exit code and error output of the process that brings the schema to its version. */
function startAt(url: string): Promise<[number | null, string]> {
  const child = spawn(process.execPath, [resolve('core/migrate.ts')], {
    env: { PATH: process.env['PATH'], DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (bytes) => (said += bytes))
  return new Promise((done) => child.on('close', (code) => done([code, said])))
}

describe.runIf(hasPgBouncer)('PgBouncer', () => {
  /** @returns its address, and what changes its mode while it runs */
  async function bouncer(mode: string): Promise<string> {
    const behind = new URL((await quietable(fresh.url)).url)
    const folder = temporaryFolder()
    const [port] = await freePorts(1)
    const file = join(folder, 'pgbouncer.ini')
    // as most guides have it: without ignore_startup_parameters core must not send options at all
    const lines = [
      '[databases]',
      `* = host=127.0.0.1 port=${behind.port} user=${behind.username}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = ${mode}`,
    ]
    writeFileSync(file, lines.join('\n'))
    // it does not run as root
    const child = spawn('pgbouncer', [...(process.getuid!() === 0 ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' })
    onTestFinished(async () => {
      const ended = new Promise((done) => child.once('close', done))
      child.kill('SIGKILL')
      await ended
    })
    const url = `postgres://${behind.username}@127.0.0.1:${port}${behind.pathname}?sslmode=disable`
    await eventually(
      () => startAt(url).then(([, said]) => !said.includes('ECONNREFUSED')),
      () => 'PgBouncer listens',
    )
    return url
  }

  test('in session mode core works, with several cells', async () => {
    const url = await bouncer('session')
    expect(await startAt(url)).toEqual([0, ''])
    const [one, two] = [open(url, 1), open(url, 2)]
    for (let n = 0; n < 3; n++) await Promise.all([one.run(insert, [n]), two.transaction((run) => run(insert, [n]))])
    expect(await kept()).toEqual(['1:0', '1:1', '1:2', '2:0', '2:1', '2:2'])
  })

  test.each(['transaction', 'statement'])('in %s mode core does not start, and says so in one line', async (mode) => {
    expect(await startAt(await bouncer(mode))).toEqual([1, refusal])
  })

  test('in transaction mode a call reaches its own cell, or is refused', async () => {
    const url = await bouncer('transaction')
    const cells = [open(url, 1), open(url, 2)]
    const calls = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) => {
        const { run, transaction } = cells[n % 2]!
        return n % 4 < 2 ? run(insert, [n]) : transaction((run) => run(insert, [n]))
      }),
    )
    const done = calls.flatMap(({ status }, n) => (status === 'fulfilled' ? [`${(n % 2) + 1}:${n}`] : []))
    expect(done.length).toBeLessThan(40)
    expect(await kept()).toEqual(done.toSorted())
    for (const call of calls)
      if (call.status === 'rejected') expect(call.reason).toMatchObject({ reason: 'unavailable' })
  })
})
