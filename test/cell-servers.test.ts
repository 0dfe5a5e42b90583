import { randomUUID } from 'node:crypto'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attachment, sha256, upload } from './support/attachments.ts'
import { expectInOrder, follow, idsOf, missedBy, page, parsed } from './support/followed.ts'
import { writePatiently } from './support/follower.ts'
import { connectionTo, type TestDatabase } from './support/database.ts'
import type { Game } from './support/games.ts'
import { receiptsIn } from './support/retention.ts'
import { damagedStore, misplace } from './support/misplaced.ts'
import { basic } from './support/xapi.ts'
import { player, reference, statement, statements, voiding } from './support/statements.ts'
import {
  cellOf,
  codeOf,
  east,
  everything,
  gameIn,
  here,
  move,
  skewed,
  startServers,
  stopServers,
  store,
  stored,
  sweepLeft,
  system,
  there,
} from './cell-servers/servers.ts'
import { splitAndAway } from './cell-servers/split-and-away.ts'

beforeAll(startServers)
afterAll(stopServers)

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

  for (const [which, from, since] of [
    ['from the directory, and written there since', 1, true],
    ['from the directory, and written nowhere since', 1, false],
    ['to the directory', 2, false],
  ] as const)
    test(
      `a directory that has lost its last commits, a move ${which}: doctor finds it, one command mends it`,
      { tags: since ? [] : 'long' },
      async () => {
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

  for (const seconds of [-5, 5])
    test(`a clock that differs by ${seconds} s loses nothing`, { tags: seconds < 0 ? 'long' : [] }, async () => {
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

splitAndAway()
