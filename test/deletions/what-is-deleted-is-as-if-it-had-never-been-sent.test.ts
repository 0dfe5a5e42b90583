import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { follow, write } from '../support/follower.ts'
import { reasonOf } from '../support/failures.ts'
import type { Game } from '../support/games.ts'
import { activity, player, reference, statement, statements, verb, voiding, type Json } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { begin, deletedIds, idsOf, kept, receipt, remove, store } from './deletions.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2 })
})
afterAll(() => system.close())

const tenantOf = async ({ id }: Game): Promise<number> =>
  (await system.database.sql<{ id: number }>('select id from game where uuid = $1', [id]))[0]!.id

test('a dry run changes nothing; the deletion takes what it showed, and leaves a receipt', async () => {
  const game = await system.game()
  const good = statements(3)
  const bad = statements(12, { verb: verb('exploded') })
  await store(game, [...good, ...bad])
  const of = { gameId: game.id, filters: { verb: verb('exploded').id } }
  const found = await system.admin.deletions.previewDeletion({ of })
  expect(found).toMatchObject({ statements: 12, voided: 0 })
  expect(found.first).toBeLessThanOrEqual(found.last)
  expect(await kept(game)).toHaveLength(15)

  // what comes after the dry run stays
  const late = statements(2, { verb: verb('exploded') })
  await store(game, late)
  const { through, statements: count } = found
  const start = (more: object) =>
    system.admin.deletions.startDeletion({ of, through, statements: count, reason: 'a test build', ...more })
  expect(await reasonOf(start({ statements: 11 }))).toBe('CONFLICT')
  expect(await reasonOf(start({ reason: '  ' }))).toBe('INVALID')
  expect(await reasonOf(start({ through: 2n ** 64n - 1n }))).toBe('INVALID')
  expect(await reasonOf(start({ of: { gameId: game.id } }))).toBe('INVALID')
  expect(await reasonOf(start({ of: { ...of, ids: [randomUUID()] } }))).toBe('INVALID')
  expect(await reasonOf(start({ of: { gameId: game.id, ids: ['x'] } }))).toBe('INVALID')
  expect(await reasonOf(start({ of: { gameId: game.id, ids: [randomUUID()] }, statements: 0 }))).toBe('CONFLICT')
  const { deletionId } = await start({})
  expect(await receipt(system, { gameId: game.id, deletionId })).toMatchObject({
    statements: 12,
    sandbox: false,
    reason: 'a test build',
    by: 'operator',
    forwarded: [],
  })
  expect(await kept(game)).toEqual(idsOf([...good, ...late]))
  expect(await deletedIds(system, deletionId)).toEqual(idsOf(bad))
  const entries = await system.database.sql<{ details: object }>(
    "select details from audit_entry where action = 'statements.delete' and outcome = 'ok' and subject_id = $1",
    [game.id],
  )
  expect(entries).toEqual([{ details: { deletion: deletionId, statements: 12, filters: 'verb' } }])
  // receipt and ids go after a year
  const { deletions } = system.cores[0]!.store
  await deletions.sweep(12)
  expect(await deletions.list(game.id)).toHaveLength(1)
  await system.database.sql("update deletion set ended = now() - interval '13 months' where uuid = $1", [deletionId])
  await deletions.sweep(12)
  expect(await deletions.list(game.id)).toEqual([])
})

test('the id sent again is answered as stored and stores nothing; a read, an export and a reference find nothing', async () => {
  const game = await system.game()
  const [gone, other, stays] = statements(3)
  const referring = statement({ object: reference(gone.id) })
  await store(game, [gone, other, stays, referring])
  expect((await remove(system, game, { ids: [gone.id, other.id, randomUUID()] })).receipt.statements).toBe(2)
  const xapi = game.xapi()
  const before = await xapi.get({ limit: '1' })
  expect((await xapi.post([gone, other])).status).toBe(200)
  expect((await xapi.put(gone.id, { ...gone, verb: verb('won') })).status).toBe(204)
  for (const name of ['statementId', 'voidedStatementId'])
    expect((await xapi.get({ [name]: gone.id })).status).toBe(404)
  // the reference stays, and finds nothing
  expect(await kept(game)).toEqual([stays.id, referring.id])
  let exported = ''
  for await (const { data } of system.admin.exports.exportStatements({ gameId: game.id }))
    exported += Buffer.from(data).toString()
  expect(exported.match(/"id":"[0-9a-f-]{36}"/g)!.length).toBeGreaterThanOrEqual(2)
  expect(exported).not.toContain(`"id":"${other.id}"`)
  const through = (response: { headers: Headers }) => response.headers.get('x-experience-api-consistent-through')!
  expect(Date.parse(through(await xapi.get({ limit: '1' })))).toBeGreaterThanOrEqual(Date.parse(through(before)))
  // one that the deletion did not name is stored
  const [fresh] = await store(game, statements(1))
  expect((await kept(game)).at(-1)).toBe(fresh)
})

test('a filter finds what an export has, with the voided ones; what a voiding statement voided goes along', async () => {
  const game = await system.game()
  const [target, voided, elsewhere, alone] = [
    statement({ verb: verb('exploded') }),
    statement({ verb: verb('exploded') }),
    statement({ verb: verb('fell') }),
    statement({ verb: verb('won') }),
  ]
  const comment = statement({ verb: verb('commented'), object: reference(target.id) })
  const [voids, voidsElsewhere] = [voiding(voided.id), voiding(elsewhere.id)]
  await store(game, [comment, target, voided, elsewhere, alone])
  await store(game, [voids, voidsElsewhere])
  const { found } = await remove(system, game, { filters: { verb: verb('exploded').id } })
  // both, the comment on one, and what voids the other
  expect(found).toMatchObject({ statements: 4, voided: 0 })
  expect(await kept(game)).toEqual([alone.id, voidsElsewhere.id])
  // what is voided never comes back
  const byId = await remove(system, game, { ids: [voidsElsewhere.id] })
  expect(byId.found).toMatchObject({ statements: 2, voided: 1 })
  expect(await kept(game)).toEqual([alone.id])
  for (const id of [voided.id, elsewhere.id])
    for (const name of ['statementId', 'voidedStatementId'])
      expect((await game.xapi().get({ [name]: id })).status).toBe(404)
  // a voiding statement whose target is deleted stays, and voids nothing
  const again = statement()
  await store(game, [again])
  const late = voiding(again.id)
  await store(game, [late])
  expect((await remove(system, game, { ids: [again.id] })).receipt.statements).toBe(1)
  expect(await kept(game)).toEqual([alone.id, late.id])
  const { sql } = system.database
  const left = await sql(
    `select from posting where game = $1 and not exists (
    select from statement s where s.game = posting.game and s.stored = posting.target)`,
    [await tenantOf(game)],
  )
  expect(left).toEqual([])
})

const level = (n: number) => ({
  ...activity(`level-${n}`),
  definition: { type: 'http://curatr3.com/define/type/level' },
})
const tables = {
  verb_tally: 'day, verb, statements',
  activity_tally: 'day, activity, completions, passed, failed, round(score_sum::numeric, 6) as sum, scores',
  active_day: 'actor, day',
  attempt: 'actor, activity, registration, began, day, millis, score, completed, success',
  presence_tally: 'day, previous, learners',
  leaving_tally: 'day, activity, during, completed',
  learner_fact: 'actor, first_day, last_day, level, completed',
  learner_level: 'actor, activity, attempts, completed, first_day, first_completed, first_success',
  funnel_tally: 'day, activity, started, completed',
  return_tally: 'day, after, learners',
  learner_seen: 'actor, agent, name, first, last, statements, sessions, team',
  seen_session: 'registration, actor, first, last, began, ended, statements',
  seen_word: 'word, actor',
  seen_again: 'actor',
}

/** What is counted of the game; rows of nothing but zeros are as good as none. */
async function counts(game: Game, isFolded = true) {
  const tenant = await tenantOf(game)
  if (isFolded) await fold(game)
  const rows = Object.entries(tables).map(async ([table, columns]) => {
    const order = columns.replace(/round.* as sum/, 'sum')
    const found = await system.database.sql<object>(
      `select ${columns} from ${table} where game = $1 order by ${order}`,
      [tenant],
    )
    const numbers = (row: object) =>
      Object.entries(row)
        .filter(([name]) => !/^(?:day|verb|activity|after|previous)$/.test(name))
        .flatMap(([, value]) => value)
    return [
      table,
      found.filter((row) => !table.endsWith('_tally') || numbers(row).some((value) => Number(value) !== 0)),
    ]
  })
  return Object.fromEntries(await Promise.all(rows))
}

async function fold(game: Game): Promise<void> {
  const { store } = system.cores[0]!
  const tenant = await tenantOf(game)
  await store.tallies.begin(tenant)
  while ((await store.tallies.fold(tenant)) !== 'done');
  const seen = await store.learnersSeen(tenant)
  await seen.begin(tenant)
  while ((await seen.fold(tenant)) !== 'done');
}

const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10)
const answers = async ({ id: gameId }: Game) => {
  const range = { gameId, from: day(20), to: day(0) }
  const { insights, answers } = system.admin
  const [{ counted: _, countedUntil: _a, ...one }, { counted: __, countedUntil: _b, ...other }] = (await Promise.all([
    insights.getInsights(range),
    answers.getAnswers(range),
  ])) as unknown as [Json, Json]
  return JSON.stringify([one, other], (_, value) =>
    typeof value === 'bigint' ? String(value) : typeof value === 'number' ? Number(value.toFixed(9)) : value,
  )
}

/** Moves the time at which they were stored `days` days back. */
const age = async (game: Game, list: Json[], days: number) =>
  void (await system.database.sql(
    `with moved as (
        update posting p set stored = p.stored - $3, target = p.target - $3 from statement s
        where s.game = $1 and s.id = any ($2::uuid[]) and p.game = s.game and p.target = s.stored)
      update statement set stored = stored - $3 where game = $1 and id = any ($2::uuid[])`,
    [await tenantOf(game), idsOf(list), days * 86_400 * 1e6],
  ))

// a statement is deleted before it is counted, after it, or between its voiding statement and that one's count
test.each([1, 2, 3, 4])('counts are those of a game that has only got the rest (%i)', async (seed) => {
  let state = seed
  const random = (most: number) => (state = (state * 48_271) % 2_147_483_647) % most
  const sessions = Array.from({ length: 6 }, () => randomUUID())
  let minute = 0
  const now = Date.now()
  const timeOf = (minutes: number) => new Date(now - 6 * 86_400_000 + 60_000 * minutes).toISOString()
  const one = (): Json =>
    statement({
      timestamp: timeOf(minute++ + random(5)),
      actor: { ...player(['ann', 'ben', 'cleo'][random(3)]!), name: `Name ${random(9)}` },
      verb: { id: `http://adlnet.gov/expapi/verbs/${['initialized', 'completed', 'passed', 'failed'][random(4)]}` },
      object: level(random(3)),
      ...(random(2) > 0 ? { result: { score: { scaled: random(11) / 10 } } } : {}),
      context: { registration: sessions[random(6)] },
    })
  const [old, recent, last] = [40, 40, 20].map((count) => Array.from({ length: count }, one)) as [
    Json[],
    Json[],
    Json[],
  ]
  const voids = [...old, ...recent]
    .filter(() => random(6) === 0)
    .map(({ id }) => voiding(id, { actor: player('ben'), timestamp: timeOf(minute++) }))
  const [early, late] = [voids.filter((_, n) => n % 2 === 0), voids.filter((_, n) => n % 2 === 1)]
  const all = [...old, ...recent, ...early, ...last, ...late]
  const doomed = new Set(all.filter(() => random(3) === 0).map(({ id }) => id))

  const game = await system.game()
  await store(game, old)
  await age(game, old, 5)
  await store(game, [...recent, ...early])
  if (seed > 1) await fold(game)
  await store(game, last)
  if (seed > 2) await fold(game)
  await store(game, late)
  if (seed > 3) await fold(game)
  const before = await counts(game, false)
  const { receipt } = await remove(system, game, { ids: [...doomed] })
  for (const { id, object } of voids) if (doomed.has(id)) doomed.add(object.id)
  expect(receipt.statements).toBe(doomed.size)
  if (seed > 1) expect(await counts(game)).not.toEqual(before)

  const rest = (list: Json[]) => list.filter(({ id }) => !doomed.has(id))
  const fresh = await system.game()
  if (rest(old).length > 0) await store(fresh, rest(old))
  await age(fresh, rest(old), 5)
  for (const list of [[...recent, ...early], last, late]) if (rest(list).length > 0) await store(fresh, rest(list))
  // places in the order are not those of the other game
  const comparable = async (one: Game) => {
    const ids = await kept(one)
    const placed = new Map(
      (
        await system.database.sql<{ id: string; stored: string }>('select id, stored from statement where game = $1', [
          await tenantOf(one),
        ])
      ).map(({ id, stored }) => [stored, id]),
    )
    return JSON.parse(
      JSON.stringify([ids, await counts(one)], (name, value) =>
        ['first', 'last'].includes(name) && typeof value === 'string' ? (placed.get(value) ?? value) : value,
      ),
    )
  }
  expect(await comparable(game)).toEqual(await comparable(fresh))
  expect(await answers(game)).toEqual(await answers(fresh))
})

test('beside writers and a follower nothing else goes, and nothing is missed', async () => {
  const game = await system.game()
  const bad = Array.from({ length: 6 }, () => statements(250, { actor: player('robot') }))
  for (const list of bad) await store(game, list)
  const stop = new AbortController()
  const until = performance.now() + 2_000
  const following = follow(game.rpc(1), 'since', system.database, game.id, stop.signal)
  const writing = [0, 1].map((writer) => write(game.rpc(writer), writer, until))
  const { receipt } = await remove(system, game, { filters: { agent: JSON.stringify(player('robot')) } })
  const written = (await Promise.all(writing)).flat()
  stop.abort()
  const { seen, watermarks } = await following
  expect(receipt.statements).toBe(1_500)
  expect((await kept(game)).toSorted()).toEqual(written.toSorted())
  const ids = seen.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(written.filter((id) => !ids.includes(id))).toEqual([])
  for (let n = 1; n < seen.length; n++) expect(seen[n]!.stored).toBeGreaterThan(seen[n - 1]!.stored)
  for (let n = 1; n < watermarks.length; n++)
    expect(watermarks[n]!.through).toBeGreaterThanOrEqual(watermarks[n - 1]!.through)
})

test('a core that dies leaves the rest to another one: each statement is counted once', async () => {
  const game = await system.game()
  const { store: whole } = system.cores[0]!
  const { runDeletion } = await import('../../core/connections/command/delete-statements.ts')
  for (let tries = 0; ; tries++) {
    const bad = statements(180)
    await store(game, bad)
    await fold(game)
    const begun = begin(system, game, { filters: { verb: verb('played').id } })
    let leased
    // the cores' own job may be first
    for (let isOver = false; !leased && !isOver;) {
      leased = await whole.deletions.lease(1)
      isOver = await Promise.race([begun.then(() => true), Promise.resolve(false)])
    }
    const { deletion } = await begun
    if (!leased) {
      expect(tries).toBeLessThan(10)
      await receipt(system, deletion)
      continue
    }
    expect(await reasonOf(begin(system, game, { ids: idsOf(bad) }))).toBe('CONFLICT')
    let steps = 0
    const step = async (...of: Parameters<typeof whole.expiry.step>) => {
      if (++steps > 2) throw new Error('killed')
      return whole.expiry.step(...of)
    }
    const dying = { ...whole, expiry: { ...whole.expiry, step } }
    await expect(runDeletion(dying, leased, new AbortController().signal)).rejects.toThrow('killed')
    const left = (await kept(game)).length
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(180)
    expect((await receipt(system, deletion)).statements).toBe(180)
    break
  }
  expect(await kept(game)).toEqual([])
  const [row] = Object.values(await counts(game)).filter((rows) => (rows as object[]).length > 0)
  expect(row).toBeUndefined()
})

test('of one game only; a game without statements has nothing to delete', async () => {
  const [game, other] = [await system.game(), await system.game()]
  const list = statements(2)
  await store(game, list)
  await store(other, list)
  const which = { filters: { verb: verb('played').id } }
  await remove(system, game, which)
  expect(await kept(game)).toEqual([])
  expect(await kept(other)).toEqual(idsOf(list))
  const { previewDeletion } = system.admin.deletions
  const ofSandbox = await previewDeletion({ of: { gameId: game.id, sandbox: true, ...which } })
  expect(ofSandbox.statements).toBe(0)
  await expect(previewDeletion({ of: { gameId: randomUUID(), ...which } })).rejects.toThrow(/no such game/)
})
