import { randomUUID } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SplitState } from '../gen/lrs/v1/cells_pb.js'
import { Scope } from '../gen/lrs/v1/identity_pb.js'
import { attachment, sha256, upload } from './support/attachments.ts'
import { expectInOrder, follow, idsOf, missedBy, page, parsed } from './support/followed.ts'
import { writePatiently } from './support/follower.ts'
import { startPostgres, type Postgres } from '../start/postgres.ts'
import { connectionTo, databaseAt, type TestDatabase } from './support/database.ts'
import type { Game } from './support/games.ts'
import { receiptsIn } from './support/retention.ts'
import { damagedStore, misplace } from './support/misplaced.ts'
import { basic } from './support/xapi.ts'
import { player, reference, statement, statements, voiding, type Json } from './support/statements.ts'
import { done, run } from './support/admin.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { databaseUrl } from './support/template.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-servers-')))
const startEast = () =>
  startPostgres({ dataDir: join(folder, 'east'), durable: false, settings: { max_connections: 100 } })
let second: Postgres
/** A standby of it. */
let third: Postgres | undefined
/** As the file of LRS_CELL_SERVERS_FILE has them. */
const servers = new Map<string, string>()
let east: TestDatabase
/** Starts it again; its address is another one. */
async function renewEast(): Promise<void> {
  second = await startEast()
  east = databaseAt(databaseUrl(second.url, 'lrs'))
  servers.set('east', east.url)
}
let system: System
/** One here, one on the other server, and a service that reads all games. */
let here: Game
let there: Game
let everything: Game

beforeAll(async () => {
  second = await startEast()
  east = databaseAt(databaseUrl(second.url, 'lrs'))
  servers.set('east', east.url)
  system = await startSystem({ cores: 2, gateways: 2, cellServers: servers })
  await system.admin.cells.addCell({ server: 'east' })
  here = await system.game()
  there = await system.game()
  everything = await system.game([Scope.ALL_READ])
})
afterAll(async () => {
  await system.close()
  await second.stop()
  await third?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const cellOf = async ({ id }: Game): Promise<number> =>
  (await system.database.sql<{ cell: number }>('select cell from tenant where uuid = $1', [id]))[0]!.cell

const store = async (game: Game, list: Json[], core = 0): Promise<string[]> =>
  (await game.rpc(core).statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })).ids

/** Deletes what games have left behind, without the minute that it stays. */
async function sweepLeft(): Promise<void> {
  await system.database.sql("update left_cell set moved = now() - interval '2 minutes'")
  while ((await system.cores[0]!.store.cells.sweepLeft()) > 0);
}

/** A new game in this cell. */
async function gameIn(cell: number, scopes: Scope[] = []): Promise<Game> {
  await system.admin.cells.openCell({ cell: 3 - cell, open: false })
  const game = await system.game(scopes)
  await system.admin.cells.openCell({ cell: 3 - cell, open: true })
  expect(await cellOf(game)).toBe(cell)
  return game
}

const move = ({ id }: Game, cell: number) => system.admin.cells.moveGame({ gameId: id, cell })

const stored = async (game: Game, core = 0): Promise<string[]> =>
  idsOf(parsed((await game.rpc(core).statements.queryStatements({ ascending: true })).json))

const codeOf = (call: Promise<unknown>): Promise<Code | undefined> =>
  call.then(
    () => undefined,
    (error: unknown) => ConnectError.from(error).code,
  )

describe('a cell on another server:', () => {
  test('its games store and find their statements there, over every core', async () => {
    expect(await Promise.all([here, there].map(cellOf))).toEqual([1, 2])
    const first = await store(there, statements(2), 0)
    const next = await store(there, statements(2), 1)
    expect(await stored(there, 0)).toEqual([...first, ...next])
    expect(await stored(there, 1)).toEqual([...first, ...next])
    expect(await stored(here)).toEqual([])
    const rows = await east.sql<{ count: number }>('select count(*)::int as count from cell_2.statement')
    expect(rows[0]!.count).toBe(4)
    const { cells } = await system.admin.cells.listCells({})
    expect(cells.map(({ number, server, away, open }) => ({ number, server, away, open }))).toEqual([
      { number: 1, server: '', away: false, open: true },
      { number: 2, server: 'east', away: false, open: true },
    ])
  })

  test('a reader of all games reads both servers in order', async () => {
    const sent: string[] = []
    for (const game of [here, there, here]) sent.push(...(await store(game, statements(1))))
    const seen = parsed((await everything.rpc(1).statements.queryStatements({ ascending: true })).json)
    expectInOrder(seen)
    expect(idsOf(seen).slice(-3)).toEqual(sent)
  })

  test('a rotated secret, a revoked credential and an ended session are invalid at once', async () => {
    const game = await gameIn(2)
    const json = Buffer.from(JSON.stringify(statements(1)))
    const launched = await game.launch(player('leaves'))
    const as = (authorization: string) =>
      system.connections.map((one) => one.as(authorization, { 'x-experience-api-version': '1.0.3' }))
    for (const core of as(launched)) await core.statements.queryStatements({})
    await system.admin.identity.endSessions({ sessions: { case: 'token', value: launched.split(' ')[1]! } })
    for (const core of as(launched)) {
      expect(await codeOf(core.statements.storeStatements({ json }))).toBe(Code.Unauthenticated)
      expect(await codeOf(core.statements.queryStatements({}))).toBe(Code.Unauthenticated)
    }
    const old = as(game.authorization)
    for (const core of old) await core.statements.queryStatements({})
    const { secret } = await system.admin.identity.rotateCredential({ key: game.key })
    for (const core of old) {
      expect(await codeOf(core.statements.storeStatements({ json }))).toBe(Code.Unauthenticated)
      expect(await codeOf(core.statements.queryStatements({}))).toBe(Code.Unauthenticated)
    }
    const renewed = as(basic(game.key, secret))
    for (const core of renewed) await core.statements.queryStatements({})
    await system.admin.identity.revokeCredential({ key: game.key })
    for (const core of renewed) {
      expect(await codeOf(core.statements.storeStatements({ json }))).toBe(Code.Unauthenticated)
      expect(await codeOf(core.statements.queryStatements({}))).toBe(Code.Unauthenticated)
    }
  })

  test('followers miss nothing while a game moves to another server and back', async () => {
    const stop = new AbortController()
    const lasts = new Map<string, string>()
    const following = [
      follow(everything, 0, stop.signal, () => lasts.get('all')!),
      page(everything, 1, stop.signal),
      follow(here, 1, stop.signal, () => lasts.get('moving')!),
      page(here, 0, stop.signal),
    ]
    const games = [here, there]
    const acknowledged = games.map((): string[] => [])
    let moves = 0
    const writing = games.flatMap((game, n) =>
      [0, 1].map(async (writer) => {
        while (moves < 2 || acknowledged[n]!.length < 150)
          acknowledged[n]!.push(...(await writePatiently(game.rpc((n + writer) % 2), writer, performance.now() + 100)))
      }),
    )
    try {
      for (const to of [2, 1]) {
        expect((await move(here, to)).waited).toBeLessThan(2_000)
        expect(await cellOf(here)).toBe(to)
        await sweepLeft()
        moves++
      }
    } finally {
      moves = 2
    }
    await Promise.all(writing)
    for (const [n, name] of ['moving', 'all'].entries()) {
      lasts.set(name, (await store(games[n]!, statements(1)))[0]!)
      acknowledged[n]!.push(lasts.get(name)!)
    }
    stop.abort()
    for (const [n, seen] of (await Promise.all(following)).entries()) {
      expectInOrder(seen)
      expect(missedBy(seen, n < 2 ? acknowledged.flat() : acknowledged[0]!)).toBe(0)
    }
  })

  test('voiding, references, attachments and counts go along', async () => {
    const game = await gameIn(1)
    const [target, voided] = statements(2, { actor: player('mover') })
    await store(game, [target, voided])
    const content = Buffer.alloc(600_000, 'replay')
    const withContent = statement({ attachments: [attachment(content)] })
    await game.rpc().attachments.storeWithAttachments(upload([withContent], [{ sha2: sha256(content), content }]))
    const voids = voiding(voided.id)
    await store(game, [statement({ actor: player('other'), object: reference(target.id) }), voids])
    const day = new Date().toISOString().slice(0, 10)
    const count = async () => {
      const { days } = await system.admin.insights.getInsights({ gameId: game.id, from: day, to: day })
      return Number(days[0]!.statements)
    }
    const before = await count()
    for (const to of [2, 1]) {
      expect(await move(game, to)).toMatchObject({ statements: 5n })
      const mine = await game.rpc(1).statements.queryStatements({ agent: JSON.stringify(player('mover')) })
      expect(mine.json.length).toBe(3)
      expect(await codeOf(game.rpc().statements.getStatement({ statementId: voided.id }))).toBe(Code.NotFound)
      const found: Buffer[] = []
      for await (const { content: chunk } of game.rpc(1).attachments.getAttachment({ sha2: sha256(content) }))
        found.push(Buffer.from(chunk))
      expect(Buffer.concat(found).equals(content)).toBe(true)
      expect(await count()).toBe(before)
      await sweepLeft()
    }
    for (const database of [system.database, east]) expect(await database.sql('select from left_cell')).toEqual([])
    expect(
      await east.sql('select from cell_2.statement s join tenant t on t.game = s.game where t.uuid = $1', [game.id]),
    ).toEqual([])
  })

  test('zone and start reach its counts, those of a game that moved, and its lists; hashes of former learners move along', async () => {
    const [game, moved] = [await gameIn(2), await gameIn(1)]
    const { sql } = system.database
    const { counting, answers, learners, retention } = system.admin
    const dayMs = 86_400_000
    const today = Math.floor(Date.now() / dayMs)
    const dayName = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10)
    // 12:30 and 23:30 in UTC are two days there, and one before the start
    const times = [-5 * dayMs + 12.5 * 3_600_000, -5 * dayMs + 23.5 * 3_600_000, -9 * dayMs].map(
      (time) => today * dayMs + time,
    )
    const list = (who: string) =>
      times.map((time) => statement({ actor: player(who), timestamp: new Date(time).toISOString() }))
    for (const one of [game, moved]) {
      const studio = `insert into studio (email, password_hash, name, slug) values ($1, '', 'S', $1) returning id`
      const [{ id } = { id: 0 }] = await sql<{ id: number }>(studio, [randomUUID()])
      await sql('update game set studio = $2 where uuid = $1', [one.id, id])
      await store(one, list('zoe'))
      const gone = await store(one, list('yan'))
      const [on, table] = one === game ? [east, 'cell_2.statement'] : [system.database, 'statement']
      await on.sql(`update ${table} set stored = stored - $2 where id = any ($1)`, [gone, 100 * 86_400e6])
      await retention.setRetention({ gameId: one.id, retention: { statementMonths: 1 } })
      await receiptsIn(system, one.id)
    }
    const former = (on: TestDatabase) => on.sql<{ game: number }>('select game from former_learner order by game')
    expect(await Promise.all([former(system.database), former(east)])).toMatchObject([[{}], [{}]])
    await move(moved, 2)
    await sweepLeft()
    expect(await Promise.all([former(system.database), former(east)])).toMatchObject([[], [{}, {}]])
    for (const one of [game, moved]) {
      await counting.setZone({ gameId: one.id, zone: 'Pacific/Auckland' })
      await counting.setStart({ gameId: one.id, start: BigInt(((today - 7) * dayMs) / 1000) })
      await store(one, list('yan').slice(0, 1))
      const agent = JSON.stringify(player('zoe'))
      const seen = async () => (await learners.getLearner({ gameId: one.id, agent })).learner!
      await expect.poll(async () => (await seen()).firstSeen, { timeout: 30_000 }).toBe(BigInt(times[0]! * 1000))
      expect(Number((await seen()).lastSeen) / 1000).toBeGreaterThan(times[1]! + dayMs)
      const days = async () => {
        const asked = { gameId: one.id, from: dayName(today - 12), to: dayName(today + 1) }
        const { complete, recounting, zone, newPeople, people, returns } = await answers.getAnswers(asked)
        if (!complete || recounting) return undefined
        const cohorts = returns!.cohorts.filter((cohort) => cohort.people > 0n).map(({ day }) => day)
        return { zone, newPeople, people, cohorts }
      }
      const expected = { zone: 'Pacific/Auckland', newPeople: 1n, people: 2n, cohorts: [dayName(today - 4)] }
      await expect.poll(days, { timeout: 30_000 }).toEqual(expected)
    }
  })

  test('a move that fails when the servers have been told is undone', async () => {
    const game = await gameIn(2)
    const sent = await store(game, statements(3))
    // the directory commits last
    await system.database.sql(`create function fail() returns trigger language plpgsql as $$
      begin raise exception 'ended' using errcode = '57P01'; end $$`)
    await system.database.sql(`create constraint trigger fail after delete on moving
      deferrable initially deferred for each row when (old.settling) execute function fail()`)
    const undoing = system.cores[0]!.store.cells
    await expect(move(game, 1)).rejects.toThrow()
    await system.database.sql('drop trigger fail on moving; drop function fail()')
    await undoing.undoMoves()
    expect(await system.database.sql('select from moving')).toEqual([])
    expect(await cellOf(game)).toBe(2)
    sent.push(...(await store(game, statements(1), 1)))
    expect(await stored(game, 0)).toEqual(sent)
    const seen = parsed((await everything.rpc(0).statements.queryStatements({ ascending: false, limit: 4 })).json)
    expect(idsOf(seen).toReversed()).toEqual(sent)
    // it waits until the rows that the undone move has left may go
    const again = move(game, 1)
    await system.database.sql("update left_cell set moved = now() - interval '2 minutes'")
    await again
    expect(await stored(game, 0)).toEqual(sent)
  })

  test.each([
    ['from the directory, and written there since', 1, true],
    ['from the directory, and written nowhere since', 1, false],
    ['to the directory', 2, false],
  ])(
    'a directory that has lost its last commits, a move %s: doctor finds it, one command mends it',
    async (_, from, since) => {
      const game = await gameIn(from)
      const to = 3 - from
      const { sql } = system.database
      const sent = await store(game, statements(3))
      const games = 'where game = (select game from tenant where uuid = $1)'
      const [before] = await sql<{ tenant: number; credential: number }>(
        `select version as tenant, (select max(version) from credential ${games}) as credential from tenant ${games}`,
        [game.id],
      )
      await move(game, to)
      if (to === 2) sent.push(...(await store(game, statements(2))))
      // as on a standby that lacks these commits
      await sql(
        `with c as (update credential set version = $2 ${games}),
        l as (delete from left_cell ${games}), p as (update placement set changes = changes - 1)
      update tenant set version = $3, cell = $4 ${games}`,
        [game.id, before!.credential, before!.tenant, from],
      )
      if (to === 1) await sql(`with p as (delete from posting ${games}) delete from statement ${games}`, [game.id])
      for (const core of system.cores) await core.store.places.read()
      if (since) sent.push(...(await store(game, statements(1))))
      const finding = async () =>
        (await system.admin.admin.check({})).findings.find(({ name }) => name === 'directory')?.message
      expect(await finding()).toContain(game.id)
      if (from === 2) expect(await codeOf(store(game, statements(1)))).toBe(Code.Unavailable)
      const cell = since || to === 1 ? from : to
      expect((await system.admin.cells.mendGames({})).games).toMatchObject([{ gameId: game.id, cell }])
      expect(await finding()).toBe(undefined)
      expect(await cellOf(game)).toBe(cell)
      if (since) {
        const place = { gameId: game.id, foundCell: to }
        // a cell that is not there was once taken for the game's own
        expect(await codeOf(system.admin.cells.bringBack(place))).toBe(Code.NotFound)
        expect(await system.admin.cells.bringBack({ ...place, foundServer: 'east' })).toMatchObject({
          returned: 2,
          same: 3,
        })
      }
      for (const core of [0, 1]) sent.push(...(await store(game, statements(1), core)))
      expect(new Set(await stored(game))).toEqual(new Set(sent))
      await sweepLeft()
      expect(await stored(game, 1)).toHaveLength(sent.length)
      expect((await system.admin.cells.listMisplaced({})).misplaced).toEqual([])
    },
  )

  test('a move whose connection is killed has not happened, and can be made again', async () => {
    const game = await gameIn(1)
    const sent = await store(game, statements(20))
    const holding = await connectionTo(east.url)
    // the move copies everything and then waits for this lock
    await holding.query('select pg_advisory_lock(2026, order_lock(2))')
    const moving = codeOf(move(game, 2))
    await expect
      .poll(() =>
        holding.query("select from pg_stat_activity where wait_event_type = 'Lock' and query like '%order_lock%'"),
      )
      .toMatchObject({ rowCount: 1 })
    await system.database.sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction' and query like '%statement_order%'`)
    await holding.end()
    expect(await moving).toBe(Code.Unavailable)
    await expect.poll(() => system.database.sql('select from moving')).toEqual([])
    expect(await stored(game, 1)).toEqual(sent)
    await store(game, statements(1))
    await sweepLeft()
    expect(await move(game, 2)).toMatchObject({ statements: 21n })
    expect((await stored(game, 1)).slice(0, 20)).toEqual(sent)
  })

  test('statements in the first schema of the other server, which is no cell, come back with what they told', async () => {
    const game = await gameIn(2)
    const damaged = damagedStore(system.database.url, new Map([['east', east.url]]))
    const object = { id: 'https://games.example.org/activities/lost', definition: { name: { en: 'Lost' } } }
    const lost = await misplace(damaged, system.database, game, statements(3, { object }))
    await damaged.close()
    const told = async () => (await game.rpc().statements.getActivity({ activityId: object.id })).json
    const place = { gameId: game.id, cell: 2, foundCell: 1, foundServer: 'east', statements: 3n }
    expect((await system.admin.cells.listMisplaced({})).misplaced).toMatchObject([place])
    expect(await stored(game)).toEqual([])
    const request = { gameId: game.id, foundCell: 1, foundServer: 'east' }
    expect(await system.admin.cells.bringBack(request)).toMatchObject({ returned: 3, next: 0n })
    expect(await stored(game, 1)).toEqual(lost)
    expect(JSON.parse(Buffer.from(await told()).toString()).definition).toEqual(object.definition)
    expect((await system.admin.cells.listMisplaced({})).misplaced).toEqual([])
  })

  test('statements that stayed behind when their game changed servers come back over both', async () => {
    const game = await gameIn(1)
    // in place of the other server's address, that of this one
    const damaged = damagedStore(system.database.url, new Map([['east', system.database.url]]))
    const before = await store(game, statements(2))
    await move(game, 2)
    const lost = await misplace(damaged, system.database, game, statements(3))
    await damaged.close()
    await sweepLeft()
    expect(await system.admin.cells.bringBack({ gameId: game.id, foundCell: 1 })).toMatchObject({ returned: 3 })
    expect(await stored(game, 1)).toEqual([...before, ...lost])
  })

  test('what has expired there stays away with a new credential, and after a move', async () => {
    const game = await gameIn(2)
    const old = await store(game, statements(3))
    const [row] = await system.database.sql<{ id: number }>('select id from game where uuid = $1', [game.id])
    const { expiry } = system.cores[0]!.store
    const all = { before: (Date.now() + 60_000) * 1_000 }
    expect(await expiry.step(randomUUID(), row!.id, all, 100, 30_000)).toMatchObject({ removed: 3 })
    await store(game, [statement({ id: old[0] })])
    expect(await stored(game)).toEqual([])
    await system.admin.identity.revokeCredential({ key: game.key })
    const { key, secret } = await system.admin.identity.issueCredential({ gameId: game.id, scopes: [] })
    const by = system.connections[1]!.as(basic(key, secret), { 'x-experience-api-version': '1.0.3' })
    const renewed: Game = { ...game, key, rpc: () => by }
    await store(renewed, [statement({ id: old[1] })])
    expect(await stored(renewed)).toEqual([])
    await move(game, 1)
    await store(renewed, [statement({ id: old[2] })])
    expect(await stored(renewed)).toEqual([])
  })

  test('erasing a learner erases on every server', async () => {
    const ann = player('erased-everywhere')
    for (const game of [here, there]) await store(game, statements(2, { actor: ann }))
    const agent = JSON.stringify(ann)
    expect(Number((await system.admin.admin.eraseLearner({ agent, preview: true })).statements)).toBe(4)
    expect(Number((await system.admin.admin.eraseLearner({ agent })).statements)).toBe(4)
    for (const game of [here, there]) expect((await game.rpc(0).statements.queryStatements({ agent })).json).toEqual([])
  })

  test.each([-5, 5])('a clock that differs by %d s loses nothing', async (seconds) => {
    const normal = await skewed(east, seconds)
    const stop = new AbortController()
    const reading = page(everything, 1, stop.signal)
    const sent: string[] = []
    for (let n = 0; n < 20; n++)
      sent.push(...(await store(n % 2 === 0 ? here : there, statements(1), n % 4 > 1 ? 1 : 0)))
    stop.abort()
    const seen = await reading
    expectInOrder(seen)
    await normal()
    // the clock that was behind gets there
    const later = Math.max(seconds, 0) * 1_000_000
    await system.database.sql("select setval('statement_order', last_value + $1) from statement_order", [later])
    const since = seen.at(-1)?.stored ?? ''
    await expect
      .poll(async () => {
        const rest = await everything.rpc(0).statements.queryStatements({ since, ascending: true })
        return missedBy([...seen, ...parsed(rest.json)], sent)
      })
      .toBe(0)
  })
})

describe('a server that is split:', () => {
  let split: Game
  let stays: Game
  const request = { from: 'east', to: 'west', cells: [3] }
  const splitState = async () => (await system.admin.cells.splitServer(request)).state

  beforeAll(async () => {
    stays = await gameIn(2)
    split = await gameIn(2)
    await system.admin.cells.addCell({ server: 'east' })
    await system.admin.cells.openCell({ cell: 3, open: false })
    await move(split, 3)
    await store(split, statements(5))
    await store(stays, statements(2))
    await second.stop()
    execFileSync('cp', ['-a', join(folder, 'east'), join(folder, 'west')])
    writeFileSync(join(folder, 'west', 'standby.signal'), '')
    await renewEast()
    // the standby gets through to the socket of its primary
    chmodSync(folder, 0o711)
    const socket = new URL(second.adminUrl).searchParams.get('host')!
    const settings = { max_connections: 100, primary_conninfo: `host=${socket} user=postgres` }
    third = await startPostgres({ dataDir: join(folder, 'west'), durable: false, settings })
    servers.set('west', databaseUrl(third.url, 'lrs'))
  })
  test('its promoted standby takes over a cell; nothing is lost, doubled or missed, and the other cell goes on', async () => {
    for (const core of [0, 1])
      for (const game of [split, stays, everything])
        await expect.poll(() => codeOf(game.rpc(core).statements.queryStatements({}))).toBe(undefined)
    const stop = new AbortController()
    let last = ''
    const following = [
      follow(everything, 0, stop.signal, () => last),
      follow(split, 1, stop.signal, () => last),
      page(everything, 1, stop.signal),
      page(split, 0, stop.signal),
    ]
    const acknowledged: string[] = await stored(split)
    let writing = true
    const writers = [0, 1].map(async (core) => {
      while (writing) acknowledged.push(...(await writePatiently(split.rpc(core), core, performance.now() + 100)))
    })
    await expect.poll(splitState).toBe(SplitState.WAITING)
    // its writers wait; those of the other cell do not
    expect(await codeOf(store(split, statements(1)))).toBe(Code.Unavailable)
    await store(stays, statements(1))
    await connectionTo(third!.adminUrl).then(async (client) => {
      await client.query('select pg_promote()')
      await client.end()
    })
    await expect.poll(splitState).toBe(SplitState.THERE)
    await expect.poll(() => codeOf(store(split, statements(1)))).toBe(undefined)
    writing = false
    await Promise.all(writers)
    last = (await store(split, statements(1)))[0]!
    acknowledged.push(last)
    // readers of all games come as late as the order of the cell is ahead
    const newest = async () => idsOf(parsed((await everything.rpc(1).statements.queryStatements({ limit: 1 })).json))
    await expect.poll(newest).toEqual([last])
    stop.abort()
    for (const seen of await Promise.all(following)) {
      expectInOrder(seen)
      expect(missedBy(seen, acknowledged)).toBe(0)
    }
    const west = databaseAt(servers.get('west')!)
    const count = async (on: TestDatabase) =>
      (await on.sql<{ count: number }>('select count(*)::int as count from cell_3.statement'))[0]!.count
    expect(await count(west)).toBeGreaterThanOrEqual(acknowledged.length)
    expect(await count(east)).toBeLessThan(acknowledged.length)
    expect(await splitState()).toBe(SplitState.CLEANED)
    expect(await count(east)).toBe(0)
    expect(await west.sql("select to_regclass('cell_2.statement') as cell")).toEqual([{ cell: null }])
    await expect(east.sql("update cell_3.statement set body = ''")).rejects.toThrow('cell 3 goes to another server')
    for (const game of [stays, split]) await store(game, statements(1), 1)
    const { cells } = await system.admin.cells.listCells({})
    expect(cells.map(({ server }) => server)).toEqual(['', 'east', 'west'])
    expect((await system.admin.cells.listMisplaced({})).misplaced).toEqual([])
    await sweepLeft()
    expect(await move(split, 2)).toMatchObject({ from: 3 })
  })

  test('a server that is no standby of it is refused, and a cancelled split changes nothing', async () => {
    const asked = { from: 'east', to: 'other', cells: [2] }
    servers.set('other', system.database.url)
    const error = await system.admin.cells.splitServer(asked).catch((error: unknown) => ConnectError.from(error))
    expect(error).toMatchObject({ code: Code.Aborted, rawMessage: expect.stringContaining('is no standby of it') })
    expect(await codeOf(store(stays, statements(1)))).toBe(Code.Unavailable)
    const env = { LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_SERVICE_TOKEN: tokens.admin }
    expect(await run(['cells', 'split', 'east', 'other', '2', '--cancel'], { env })).toEqual(
      done('The cells take writes on east.'),
    )
    expect(await run(['cells', 'mend'], { env })).toEqual(done('Nothing is to be mended.'))
    await expect.poll(() => codeOf(store(stays, statements(1)))).toBe(undefined)
  })
})

describe('a server that is away:', () => {
  let old: Game
  beforeAll(async () => {
    old = await gameIn(2)
    await store(old, statements(1))
    await second.stop()
  })

  test('games of other cells go on, its own and all games are refused', async () => {
    await store(here, statements(1), 0)
    expect((await stored(here, 1)).length).toBeGreaterThan(0)
    for (const game of [there, everything])
      expect(await codeOf(game.rpc(0).statements.queryStatements({}))).toBe(Code.Unavailable)
    expect(await codeOf(store(there, statements(1), 1))).toBe(Code.Unavailable)
    const { cells } = await system.admin.cells.listCells({})
    expect(cells.map(({ away }) => away)).toEqual([false, true, false])
    await system.admin.admin.getStatus({})
    const { findings } = await system.admin.admin.check({})
    expect(findings.find(({ name }) => name === 'server-east')?.message).toMatch(/cannot be reached/)
  })

  test('a core starts without it', async () => {
    const database = { ...system.database, close: async () => {} }
    const another = await startSystem({ database, gateways: 0, cellServers: new Map([['east', east.url]]) })
    const game = {
      ...here,
      rpc: () => another.connections[0]!.as(here.authorization, { 'x-experience-api-version': '1.0.3' }),
    }
    await store(game, statements(1))
    await another.close()
  })

  test('what ends access meanwhile holds when it is back', async () => {
    await system.admin.identity.revokeCredential({ key: old.key })
    await renewEast()
    await expect.poll(() => codeOf(there.rpc(0).statements.queryStatements({}))).toBe(undefined)
    await expect.poll(() => codeOf(store(there, statements(1), 1))).toBe(undefined)
    for (const core of [0, 1]) expect(await codeOf(store(old, statements(1), core))).toBe(Code.Unauthenticated)
    await expect.poll(() => codeOf(everything.rpc(0).statements.queryStatements({}))).toBe(undefined)
  })
})

/** Sets the clock of the orders in a database; returns how to set it back. */
async function skewed({ sql }: TestDatabase, seconds: number): Promise<() => Promise<void>> {
  const functions = await sql<{ text: string }>(
    "select pg_get_functiondef(oid) as text from pg_proc where proname in ('advance_order', 'write_statements')",
  )
  for (const { text } of functions)
    await sql(text.replaceAll('clock_timestamp()', `(clock_timestamp() + interval '${seconds} s')`))
  return async () => {
    for (const { text } of functions) await sql(text)
  }
}
