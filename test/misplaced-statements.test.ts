import { afterAll, beforeAll, expect, test } from 'vitest'
import { attachment, sha256 } from './support/attachments.ts'
import { command, run } from './support/admin.ts'
import { connectionTo } from './support/database.ts'
import { expectInOrder, follow, idsOf, parsed } from './support/followed.ts'
import { writePatiently } from './support/follower.ts'
import type { Game } from './support/games.ts'
import { callerOf, damagedStore, misplace, type Damaged } from './support/misplaced.ts'
import { startProcesses } from './support/processes.ts'
import { player, reference, statement, statements, voiding, type Json } from './support/statements.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let system: System
let damaged: Damaged

beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0 })
  await system.admin.cells.addCell({})
  damaged = damagedStore(system.database.url)
})
afterAll(async () => {
  await damaged.close()
  await system.close()
})

const store = async (game: Game, list: Json[], core = 0): Promise<string[]> =>
  (await game.rpc(core).statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })).ids
const plant = (game: Game, list: Json[], content?: string) => misplace(damaged, system.database, game, list, content)
const cells = (...args: string[]) =>
  run(['cells', ...args], {
    env: { LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_SERVICE_TOKEN: tokens.admin },
  })
const finding = async () =>
  (await system.admin.admin.check({})).findings.find(({ name }) => name === 'misplaced')!.message

async function gameInCell2(): Promise<Game> {
  await system.admin.cells.openCell({ cell: 1, open: false })
  const game = await system.game()
  await system.admin.cells.openCell({ cell: 1, open: true })
  return game
}

async function allOf(game: Game, query: object = {}) {
  const found = await game.rpc(1).statements.queryStatements({ ascending: true, limit: 500, ...query })
  return parsed(found.json)
}

/** Statements of the game in the schemas of both cells. */
async function places(game: Game): Promise<[number, number]> {
  const { game: number } = await callerOf(system.database, game)
  const [row] = await system.database.sql<{ one: number; two: number }>(
    `select (select count(*)::int from statement where game = $1) as one,
      (select count(*)::int from cell_2.statement where game = $1) as two`,
    [number],
  )
  return [row!.one, row!.two]
}

async function sweepLeft(): Promise<void> {
  await system.database.sql("update left_cell set moved = now() - interval '2 minutes'")
  while ((await system.cores[0]!.store.cells.sweepLeft()) > 0);
}

test('misplaced statements are shown, then come back with what belongs to them, each once to a follower', async () => {
  const game = await gameInCell2()
  const timestamp = '2026-11-20T12:00:00.000Z'
  const [target, twice, differs] = statements(3, { timestamp, actor: player('target') }) as [Json, Json, Json]
  const content = 'A replay that was stored in the wrong cell.'
  const played = statement({ timestamp, actor: player('lost'), attachments: [attachment(content)] })
  const mistaken = statement({ timestamp, actor: player('lost') })
  const expired = statement({ timestamp })
  const lost = [played, mistaken, voiding(target.id), statement({ object: reference(target.id) }), ...statements(120)]
  await plant(game, [...lost, expired, twice, { ...differs, actor: player('other') }], content)
  const { authority } = await callerOf(system.database, game)
  const here = await store(game, [
    { ...target, authority: JSON.parse(authority) },
    twice,
    differs,
    voiding(mistaken.id),
    statement({ object: reference(played.id), actor: player('refers') }),
  ])
  const { game: number } = await callerOf(system.database, game)
  await system.database.sql('insert into expired_statement values ($1, $2, 99999)', [number, expired.id])

  expect(await finding()).toContain(`127 of game ${game.id} are in cell 1 instead of 2`)
  expect(idsOf(await allOf(game))).toEqual(here)
  await expect(system.admin.cells.moveGame({ gameId: game.id, cell: 1 })).rejects.toThrow(/has misplaced statements/)

  const shown = await cells('bring-back')
  expect(shown.out).toMatch(new RegExp(`${game.id} +2 +1 +124 +1 +1 +1`))
  expect(shown.out).toContain(differs.id)
  expect(shown.out).toContain('Nothing was changed.')
  expect(await places(game)).toEqual([127, 5])

  const stop = new AbortController()
  let last = ''
  const following = follow(game, 1, stop.signal, () => last)
  expect((await cells('bring-back', '--yes')).code).toBe(0)
  ;[last] = (await store(game, statements(1))) as [string]
  stop.abort()
  const seen = await following
  expectInOrder(seen)

  // what was voided meanwhile had been seen before; what was voided before is not shown
  const ids = [...here, ...lost.map(({ id }) => id), last].filter((id) => id !== mistaken.id)
  expect(idsOf(seen).toSorted()).toEqual(ids.toSorted())
  expect(idsOf(await allOf(game)).toSorted()).toEqual(ids.filter((id) => id !== target.id).toSorted())
  for (const id of ids) {
    const by = id === target.id ? { voidedStatementId: id } : { statementId: id }
    expect((await game.rpc(1).statements.getStatement(by)).json.byteLength).toBeGreaterThan(0)
  }
  for (const voided of [target, mistaken])
    await expect(game.rpc(1).statements.getStatement({ statementId: voided.id })).rejects.toThrow(/no statement/)
  const about = async (name: string) => idsOf(await allOf(game, { agent: JSON.stringify(player(name)) }))
  expect(await about('lost')).toEqual([here[3], here[4], played.id])
  expect((await about('target')).toSorted()).toEqual([twice.id, differs.id, lost[2].id, lost[3].id].toSorted())
  const chunks: Uint8Array[] = []
  for await (const { content: chunk } of game.rpc(1).attachments.getAttachment({ sha2: sha256(content) }))
    chunks.push(chunk)
  expect(Buffer.concat(chunks).toString()).toBe(content)

  expect(await places(game)).toEqual([1, 130])
  const notes = await system.database.sql<{ was: string; stored: string; cell: number }>(
    'select was, stored, cell from returned_statement where game = $1',
    [number],
  )
  expect(notes).toHaveLength(124)
  expect(notes.every(({ was, stored, cell }) => BigInt(was) < BigInt(stored) && cell === 1)).toBe(true)
  expect((await cells('bring-back', '--yes', '--discard')).out).toContain('The misplaced ones were removed.')
  expect(await places(game)).toEqual([0, 130])
  expect((await cells('bring-back', '--yes')).out).toBe('Every statement is in the cell of its game.')
  expect(await finding()).toBe('every statement is in the cell of its game')
  const { entries } = await system.admin.audit.listEntries({
    filter: { action: 'game.bring-back' },
    page: { limit: 100 },
  })
  expect(entries.length).toBeGreaterThan(0)
})

test('what was counted where they were is counted once', async () => {
  const game = await gameInCell2()
  const { game: number } = await callerOf(system.database, game)
  await plant(game, statements(30, { actor: player('counted') }))
  const wrong = await damaged.learnersSeen(number)
  await wrong.begin(number)
  await wrong.fold(number)
  await damaged.gameBytes.count(number)
  await damaged.tallies.begin(number)
  await damaged.tallies.fold(number)
  await store(game, statements(5, { actor: player('counted') }))
  expect((await cells('bring-back', '--yes')).code).toBe(0)

  const { learnersSeen, gameBytes, tallies } = system.cores[0]!.store
  const right = await learnersSeen(number)
  // core counts by itself as well: then a step is 'busy'
  await expect.poll(() => right.fold(number)).toBe('done')
  expect(await right.recent(number, false, undefined, 5)).toMatchObject([{ statements: 35 }])
  while (await gameBytes.count(number));
  const [bytes] = await system.database.sql<{ bytes: number }>(
    'select sum(octet_length(body))::int as bytes from cell_2.statement where game = $1',
    [number],
  )
  expect((await gameBytes.used([number])).get(number)).toBe(bytes!.bytes)
  await expect.poll(() => tallies.fold(number)).toBe('done')
  const [tally] = await system.database.sql<{ count: number }>(
    'select sum(statements)::int as count from verb_tally where game = $1',
    [number],
  )
  expect(tally!.count).toBe(35)
})

test('interrupted between writing and removing, the next run removes what is in both places', async () => {
  const game = await gameInCell2()
  const { game: number } = await callerOf(system.database, game)
  const ids = await plant(game, statements(150))
  const holding = await connectionTo(system.database.url)
  await holding.query('begin')
  await holding.query('select from statement where game = $1 for update', [number])
  const running = system.admin.cells.bringBack({ gameId: game.id, foundCell: 1 }).then(
    () => 'done',
    () => 'failed',
  )
  await expect
    .poll(async () => {
      const ended = await system.database.sql(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%erase_statements%'`)
      return ended.length
    })
    .toBe(1)
  expect(await running).toBe('failed')
  await holding.query('rollback')
  await holding.end()
  expect(await places(game)).toEqual([150, 100])
  expect((await cells('bring-back', '--yes')).out).toMatch(new RegExp(`${game.id} +2 +1 +50 +100 +0 +0`))
  expect(await places(game)).toEqual([0, 150])
  expect(idsOf(await allOf(game)).toSorted()).toEqual(ids.toSorted())
})

test('a target with more referrers than a request may link comes back, and each of them is found by it', async () => {
  const game = await gameInCell2()
  const target = statement({ actor: player('famous') })
  await plant(game, [target])
  for (let sent = 0; sent < 600; sent += 200) await store(game, statements(200, { object: reference(target.id) }))
  expect((await cells('bring-back', '--yes')).code).toBe(0)
  const found = await game.rpc(0).statements.queryStatements({ agent: JSON.stringify(player('famous')), limit: 1000 })
  expect(found.json.length + Number(found.next !== '')).toBeGreaterThan(500)
  const { game: number } = await callerOf(system.database, game)
  const [links] = await system.database.sql<{ count: number }>(
    'select count(distinct stored)::int as count from cell_2.posting where game = $1 and stored <> target',
    [number],
  )
  expect(links!.count).toBe(600)
})

test('the sweep after a move leaves alone what came after it to the cell that the game left', async () => {
  const game = await system.game()
  if ((await callerOf(system.database, game)).cell !== 1)
    await system.admin.cells.moveGame({ gameId: game.id, cell: 1 })
  const before = await store(game, statements(40))
  await system.admin.cells.moveGame({ gameId: game.id, cell: 2 })
  const after = await plant(game, statements(40))
  await sweepLeft()
  expect(await places(game)).toEqual([40, 40])
  expect((await cells('bring-back', '--yes')).code).toBe(0)
  expect(idsOf(await allOf(game))).toEqual([...before, ...after])
})

test('an erasure reaches misplaced statements, and what a game left behind', async () => {
  const game = await gameInCell2()
  const ann = player('erased-where-nobody-looks')
  await plant(game, [...statements(3, { actor: ann }), statement({ actor: player('stays') })])
  expect((await system.admin.admin.eraseLearner({ agent: JSON.stringify(ann) })).statements).toBe(3n)
  expect((await cells('bring-back', '--yes')).code).toBe(0)
  expect((await allOf(game)).length).toBe(1)

  const moved = await system.game()
  const { cell } = await callerOf(system.database, moved)
  await store(moved, statements(2, { actor: ann }))
  await system.admin.cells.moveGame({ gameId: moved.id, cell: 3 - cell })
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(ann) })
  expect(await places(moved)).toEqual([0, 0])
})

test('core and command killed half-way, beside a writer, a follower and a move', { tags: 'long' }, async () => {
  const killed = await startProcesses({ cores: 2, gateways: 0 })
  const admin = killed.connections[1]!.as(bearer(tokens.admin))
  await admin.cells.addCell({})
  await admin.cells.openCell({ cell: 1, open: false })
  const [game, other] = [await killed.game(), await killed.game()]
  const lostStore = damagedStore(killed.database.url)
  const sent: string[] = []
  for (let n = 0; n < 8; n++) sent.push(...(await misplace(lostStore, killed.database, game, statements(250))))
  await lostStore.close()
  const bringing = () =>
    command(['cells', 'bring-back', '--yes'], {
      env: { LRS_CORE_URL: killed.coreUrls[0]!, LRS_SERVICE_TOKEN: tokens.admin },
    })
  const back = async () =>
    (await killed.database.sql<{ n: number }>('select count(*)::int as n from returned_statement'))[0]!.n

  const stop = new AbortController()
  const following = follow(game, 1, stop.signal, () => sent.at(-1)!)
  let isDone = false
  const writing = (async () => {
    while (!isDone) sent.push(...(await writePatiently(game.rpc(1), 0, performance.now() + 100)))
  })()
  const first = bringing()
  await expect.poll(back, { interval: 5 }).toBeGreaterThan(0)
  await killed.crashCore(0)
  first.process.kill('SIGKILL')
  await first.ended
  const second = bringing()
  const before = await back()
  expect(before).toBeLessThan(2_000)
  await expect.poll(back, { interval: 5 }).toBeGreaterThan(before)
  second.process.kill('SIGKILL')
  await second.ended
  const third = bringing()
  await admin.cells.moveGame({ gameId: other.id, cell: 1 })
  expect((await third.ended).code).toBe(0)
  isDone = true
  await writing
  stop.abort()
  const seen = await following
  expectInOrder(seen)
  expect(idsOf(seen).toSorted()).toEqual(sent.toSorted())
  expect((await bringing().ended).out).toBe('Every statement is in the cell of its game.')
  await killed.close()
})

test('documents are in one table for all cells, so none can be misplaced', async () => {
  const tables = await system.database.sql("select schemaname from pg_tables where tablename = 'document'")
  expect(tables).toEqual([{ schemaname: 'public' }])
})
