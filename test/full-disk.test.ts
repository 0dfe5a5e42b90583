import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../start/fixtures/launch.ts'
import { startPostgres, type Postgres } from '../start/postgres.ts'
import { databaseAt } from './support/database.ts'
import type { Game } from './support/games.ts'
import { startProcesses, type Processes } from './support/processes.ts'
import { statement, statements } from './support/statements.ts'
import { addStudio, type Studio } from './support/studios.ts'
import { databaseUrl } from './support/template.ts'

const MiB = 1024 * 1024
const reserve = 64 * MiB
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-full-')))
const mounted = mount()

/** A disk of its own, small enough to fill. */
function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=420m,mode=755', 'lrs-test', folder], { stdio: 'ignore' })
    return true
  } catch {
    console.warn('NOT RUN: a full disk needs a file system that may be mounted (root on Linux); start/postgres/keep-space.test.ts runs the rule alone.')
    return false
  }
}

const free = () => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
const ballast = join(folder, 'ballast')
const log = join(folder, 'postgres.log')
let postgres: Postgres
let processes: Processes
let game: Game
let studio: Studio

beforeAll(async () => {
  if (!mounted) return
  postgres = await startPostgres({ dataDir: join(folder, 'data', 'postgres'), log, reserve })
  const storage = join(folder, 'storage')
  mkdirSync(storage)
  processes = await startProcesses({
    cores: 1, gateways: 1, database: databaseAt(databaseUrl(postgres.url, 'lrs')), env: { LRS_STORAGE_DIR: storage, LRS_DISK_RESERVE: `${reserve}` },
  })
  game = await processes.game()
  studio = await addStudio(processes, 'Full')
})

afterAll(async () => {
  await processes?.close()
  await postgres?.stop()
  if (mounted) execFileSync('umount', [folder])
  rmSync(folder, { recursive: true, force: true })
})

const codeOf = (call: Promise<unknown>) => call.then(() => 'ok', (error) => ConnectError.from(error).rawMessage)

test.runIf(mounted)('a full disk: writes are 503 and say so, every read goes on, Postgres never stops, and with room all is well by itself', async () => {
  const { gameId } = await studio.on().games.createGame({ name: 'Full' })
  const kept = statements(3)
  expect((await game.xapi().post(kept)).status).toBe(200)
  // sessions are to be renewed by whatever they read
  await processes.database.sql(`update studio_session set used = now() - interval '2 hours'`)

  // as much as it takes, by what is sent
  writeFileSync(ballast, Buffer.alloc(Math.max(0, free() - reserve - 40 * MiB)))
  const acknowledged: unknown[] = [...kept]
  let last = { status: 200, text: '' }
  while (last.status === 200) {
    const batch = statements(20, { result: { response: randomBytes(60_000).toString('base64') } })
    last = await game.xapi().post(batch)
    if (last.status === 200) acknowledged.push(...batch)
  }
  expect([last.status, last.text]).toEqual([503, expect.stringContaining('disk is nearly full')])
  // something else takes the rest but for a little: nothing is written any more that could need it
  writeFileSync(`${ballast}2`, Buffer.alloc(Math.max(0, free() - 20 * MiB)))

  expect((await game.xapi().get({ limit: 2 })).status).toBe(200)
  expect((await game.xapi().get({ statementId: kept[0]!.id })).status).toBe(200)
  const state = { activityId: 'https://games.example.org/a', agent: kept[0]!.actor, stateId: 's' }
  expect((await game.xapi().request('GET', 'activities/state', { query: { ...state, stateId: undefined } })).status).toBe(200)
  const put = await game.xapi().request('PUT', 'activities/state', { query: state, body: {} })
  expect([put.status, put.json.message]).toEqual([503, expect.stringContaining('disk is nearly full')])
  const { accounts, games, uploads, quotas, insights } = studio.on()
  expect((await accounts.getAccount({})).email).toBe(studio.email)
  expect((await games.listGames({})).games).toHaveLength(1)
  await games.getGame({ gameId })
  expect((await quotas.getUsage({})).usage).toHaveLength(3)
  expect((await insights.getInsights({ gameId, from: '2026-11-20', to: '2026-11-21' })).days).toHaveLength(2)
  expect(await codeOf(games.createGame({ name: 'Another' }))).toContain('disk is nearly full')
  expect(await codeOf(uploads.requestUpload({ gameId, kind: 1, fileName: 'quiz.zip', size: 1000n }))).toContain('disk is nearly full')
  expect(await codeOf(studio.on().accounts.signIn({ email: studio.email, password: 'whatever it is', senderIp: '192.0.2.1' }))).toContain('disk is nearly full')

  // a core that starts now serves what there is
  await processes.crashCore(0)
  await eventually(async () => (await game.xapi().get({ limit: 1 })).status === 200, () => 'reads after a new start of core', 5_000)

  rmSync(ballast)
  rmSync(`${ballast}2`)
  await eventually(async () => (await game.xapi().post(statement())).status === 200, () => 'writes again', 5_000)
  const [{ count }] = (await processes.database.sql<{ count: number }>('select count(*)::int as count from statement where game = (select id from game where uuid = $1)', [game.id])) as [{ count: number }]
  expect(count).toBe(acknowledged.length + 1)
  expect(readFileSync(log, 'utf8')).not.toMatch(/PANIC|FATAL/)
}, 60_000)
