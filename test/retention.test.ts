import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expireNext } from './support/expire-next.ts'
import { reasonOf } from './support/failures.ts'
import { ageIn, receiptsIn, tenantIn } from './support/retention.ts'
import { startSystem, type System } from './support/system.ts'
import { follow, write } from './support/follower.ts'
import type { Game } from './support/games.ts'
import {
  activity,
  player,
  reference,
  statement,
  statements,
  verb,
  type Agent,
  type Json,
} from './support/statements.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2 })
})
afterAll(() => system.close())

const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const store = async (game: Game, what: Json[]) =>
  (await game.rpc().statements.storeStatements({ json: json(what) })).ids
const retention = () => system.admin.retention
const tenantOf = (game: Game) => tenantIn(system, game)
const age = (game: Game, ids: readonly string[], days: number) => ageIn(system, game, ids, days)
const receipts = (gameId: string) => receiptsIn(system, gameId)
const expiring = (core: number, more: Partial<Parameters<typeof expireNext>[0]> = {}) => ({
  store: system.cores[core]!.store,
  config: system.cores[core]!.config,
  ...more,
})

/** What the game has. */
async function kept(game: Game): Promise<string[]> {
  const ids: string[] = []
  for (let offset = ''; ;) {
    const page = await game.rpc().statements.queryStatements({ limit: 500, ascending: true, offset })
    ids.push(...page.json.map((one) => JSON.parse(Buffer.from(one).toString()).id))
    if ((offset = page.next) === '') return ids
  }
}

test('beside writers and a follower exactly the expired statements go; a late queue stores none of them', async () => {
  const game = await system.game()
  const old = await store(game, [...statements(150), ...statements(50, { actor: player('ben') })])
  await age(game, old, 400)
  const recent = await store(game, statements(20))
  await age(game, recent, 300)
  const setting = { gameId: game.id, retention: { statementMonths: 12 } }
  expect((await retention().previewRetention(setting)).expired).toMatchObject({ statements: 200n, learners: 0n })
  expect(await kept(game)).toHaveLength(220)

  const stop = new AbortController()
  const until = performance.now() + 1_500
  const following = follow(game.rpc(1), 'since', system.database, game.id, stop.signal)
  const writing = [0, 1].map((writer) => write(game.rpc(writer), writer, until))
  await retention().setRetention(setting)
  await Promise.all([expireNext(expiring(0)), expireNext(expiring(1))])
  const [receipt, ...others] = await receipts(game.id)
  const written = (await Promise.all(writing)).flat()
  stop.abort()
  const { seen, watermarks } = await following

  expect(others).toEqual([])
  expect(receipt!.expired).toMatchObject({ statements: 200n, learners: 0n, documents: 0n })
  expect((await kept(game)).toSorted()).toEqual([...recent, ...written].toSorted())
  const ids = seen.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of [...recent, ...written]) expect(ids).toContain(id)
  for (let n = 1; n < watermarks.length; n++)
    expect(watermarks[n]!.through).toBeGreaterThanOrEqual(watermarks[n - 1]!.through)

  // the queue of a device that was offline for long
  const { status } = await game.xapi().post(old.slice(0, 3).map((id) => statement({ id })))
  expect(status).toBe(200)
  expect((await game.xapi().put(old[3]!, statement({ id: old[3] }))).status).toBe(204)
  expect((await game.xapi().get({ statementId: old[0] })).status).toBe(404)
  const [fresh] = await store(game, [statement({ id: old[4] }), statement({ object: reference(old[5]!) })].slice(1))
  expect((await kept(game)).filter((id) => old.includes(id))).toEqual([])
  expect(await kept(game)).toContain(fresh)
  // a new credential knows of them, too
  await system.admin.identity.revokeCredential({ key: game.key })
  const { key, secret } = await system.admin.identity.issueCredential({ gameId: game.id, scopes: [] })
  const renewed = { ...game, key, authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` }
  const again = system.connections[0]!.as(renewed.authorization, { 'x-experience-api-version': '1.0.3' })
  await again.statements.storeStatements({ json: json([statement({ id: old[6] })]) })
  const { json: found } = await again.statements.queryStatements({ limit: 500 })
  expect(found.map((one) => JSON.parse(Buffer.from(one).toString()).id)).not.toContain(old[6])
})

test('a core that dies leaves the rest to another one: each statement is counted once', async () => {
  const game = await system.game()
  const old = await store(game, statements(180))
  await age(game, old, 100)
  await retention().setRetention({ gameId: game.id, retention: { statementMonths: 2 } })
  const { store: whole } = system.cores[0]!
  let steps = 0
  const dying = {
    ...whole,
    expiry: {
      ...whole.expiry,
      step: async (...of: Parameters<typeof whole.expiry.step>) => {
        if (++steps > 2) throw new Error('killed')
        return whole.expiry.step(...of)
      },
    },
    retention: { ...whole.retention, release: async () => undefined },
  }
  await expect(expireNext(expiring(0, { store: dying, leaseSeconds: 1 }))).rejects.toThrow('killed')
  expect((await kept(game)).length).toBeLessThan(180)
  expect((await kept(game)).length).toBeGreaterThan(0)
  expect((await retention().getRetention({ gameId: game.id })).receipts).toMatchObject([{ ended: 0n }])
  const [receipt, ...others] = await receipts(game.id)
  expect(others).toEqual([])
  expect(receipt!.expired).toMatchObject({ statements: 180n })
  expect(await kept(game)).toEqual([])
})

describe('learners who were not seen', () => {
  test('go with their statements, documents and names; those who came back stay', async () => {
    const game = await system.game()
    const other = await system.game()
    const [gone, back] = [1, 2].map(() => ({ ...player(`kept-${randomUUID()}`), name: 'Ann Example' })) as [
      Agent,
      Agent,
    ]
    await age(
      game,
      await store(
        game,
        [gone, gone, back].map((actor) => statement({ actor })),
      ),
      200,
    )
    const [stays] = await store(game, [statement({ actor: back })])
    const put = (agent: Agent) =>
      game.rpc().documents.putDocument({
        scope: { kind: { case: 'state', value: { activityId: activity('chess').id, agent: JSON.stringify(agent) } } },
        id: 'save',
        content: Buffer.from('{}'),
        contentType: 'application/json',
      })
    for (const agent of [gone, back]) await put(agent)
    const setting = { gameId: game.id, retention: { learnerMonths: 6 } }
    const numbers = { statements: 2n, learners: 1n, documents: 1n }
    expect((await retention().previewRetention(setting)).expired).toMatchObject(numbers)
    await retention().setRetention(setting)
    expect((await receipts(game.id))[0]!.expired).toMatchObject(numbers)
    expect(await kept(game)).toHaveLength(2)
    expect(await kept(game)).toContain(stays)
    const named = async (agent: Agent) =>
      JSON.parse(
        Buffer.from((await other.rpc().statements.getPerson({ agent: JSON.stringify(agent) })).json).toString(),
      ).name
    expect(await named(back)).toEqual(['Ann Example'])
    expect(await reasonOf(named(gone))).toBe('NOT_FOUND')
  })
})

test('names of agents whom no statement names any more go, also of those who were only mentioned', async () => {
  const [game, other] = [await system.game(), await system.game()]
  const named = (name: string): Agent => ({ ...player(`${name}-${randomUUID()}`), name })
  const [actor, teacher, member, elsewhere, left] = ['Actor', 'Teacher', 'Member', 'Elsewhere', 'Left'].map(named)
  const team = { objectType: 'Group', member: [member!] }
  await age(
    game,
    await store(game, [
      statement({ actor: actor!, context: { instructor: teacher!, team } }),
      statement({ context: { instructor: elsewhere! } }),
      statement({ object: { objectType: 'Agent', ...left! } }),
    ]),
    100,
  )
  await store(game, [statement({ context: { instructor: left! } })])
  await store(other, [statement({ context: { team: { objectType: 'Group', member: [elsewhere!] } } })])
  await retention().setRetention({ gameId: game.id, retention: { statementMonths: 2 } })
  expect((await receipts(game.id))[0]!.expired).toMatchObject({ statements: 3n })
  const nameOf = async (agent: Agent) => {
    const { json } = await other.rpc().statements.getPerson({ agent: JSON.stringify(agent) })
    return JSON.parse(Buffer.from(json).toString()).name[0]
  }
  for (const agent of [actor, teacher, member]) expect(await reasonOf(nameOf(agent!))).toBe('NOT_FOUND')
  expect(await Promise.all([elsewhere!, left!].map(nameOf))).toEqual(['Elsewhere', 'Left'])
  // whose name has gone gets it again
  await store(game, [statement({ context: { instructor: teacher! } })])
  expect(await nameOf(teacher!)).toBe('Teacher')
})

/** A sum from which all was taken off. */
const counted = ['statements', 'learners', 'started', 'attempts', 'completions']
const isNothing = ([column, value]: [string, unknown]) => !counted.includes(column) || value === '0'

test('charts tell what is left, as if nothing else had ever been there', async () => {
  const [game, fresh] = [await system.game(), await system.game()]
  const of = (actor: string, what: string, registration: string) =>
    statement({
      actor: player(actor),
      verb: { id: `http://adlnet.gov/expapi/verbs/${what}` },
      object: { ...activity('level'), definition: { type: 'http://curatr3.com/define/type/level' } },
      context: { registration },
    })
  const before = ['ann', 'ben'].flatMap((actor) => {
    const registration = randomUUID()
    return [of(actor, 'initialized', registration), of(actor, 'completed', registration)]
  })
  const registration = randomUUID()
  const after = [of('ann', 'initialized', registration), of('ann', 'completed', registration)]
  await age(game, await store(game, before), 200)
  await store(game, after)
  await store(
    fresh,
    after.map((one) => ({ ...one, id: randomUUID() })),
  )
  const fold = async (one: Game) => {
    const { tallies } = system.cores[0]!.store
    const tenant = await tenantOf(one)
    await tallies.begin(tenant)
    while ((await tallies.fold(tenant)) !== 'done');
  }
  const counts = async (one: Game) => {
    await fold(one)
    const tables = {
      verb_tally: 'day, verb, statements',
      activity_tally: 'day, activity, completions, passed, failed',
      presence_tally: 'day, build, previous, learners',
      attempt_tally: 'whole_month, day, activity, build, attempts, completed, millis, times, first_tries, first_passed',
      active_day: 'actor, build, day',
      attempt: 'actor, activity, day, completed, millis',
      learner_level: 'actor, activity, attempts, completed, first_day, first_completed, first_success',
      funnel_tally: 'day, activity, started, completed',
      return_tally: 'day, after, learners',
    }
    const tenant = await tenantOf(one)
    return Promise.all(
      Object.entries(tables).map(async ([table, columns]) => [
        table,
        (
          await system.database.sql(`select ${columns} from ${table} where game = $1 order by ${columns}`, [tenant])
        ).filter((row) => !(table.endsWith('_tally') && Object.entries(row as object).every(isNothing))),
      ]),
    )
  }
  expect(await counts(game)).not.toEqual(await counts(fresh))
  await retention().setRetention({ gameId: game.id, retention: { statementMonths: 6 } })
  expect((await receipts(game.id))[0]!.expired).toMatchObject({ statements: 4n })
  // but nobody is new: ann was there before
  const cohorts = ['funnel_tally', 'return_tally']
  const other = async (one: Game) => (await counts(one)).filter(([table]) => !cohorts.includes(String(table)))
  expect(await other(game)).toEqual(await other(fresh))
  const { answers } = system.admin
  const [from, to] = [300, -1].map((days) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10))
  const newPeople = async ({ id }: Game) => (await answers.getAnswers({ gameId: id, from, to })).newPeople
  expect([await newPeople(game), await newPeople(fresh)]).toEqual([0n, 1n])
})

test('ids are forgotten when their time is over, and games without any pay nothing', async () => {
  const game = await system.game()
  const [id] = await store(game, statements(1))
  await age(game, [id!], 100)
  const { sql } = system.database
  const flag = async () =>
    (await sql<{ expires: boolean }>('select expires from credential where game = $1', [await tenantOf(game)]))[0]!
      .expires
  expect(await flag()).toBe(false)
  await retention().setRetention({ gameId: game.id, retention: { statementMonths: 1 } })
  await receipts(game.id)
  expect(await flag()).toBe(true)
  await sql('update expired_statement set until = 1 where game = $1', [await tenantOf(game)])
  expect(await system.cores[0]!.store.expiry.sweepIds(2, 100)).toBeGreaterThan(0)
  await store(game, [statement({ id, verb: verb('played') })])
  expect(await kept(game)).toEqual([id])
})

test('a step reads 4 MiB of statements at most, or one', async () => {
  const game = await system.game()
  const big = { [`${verb('played').id}/text`]: 'x'.repeat(1_700_000) }
  for (let n = 0; n < 3; n++) await store(game, [statement({ context: { extensions: big } })])
  const tenant = await tenantOf(game)
  const step = () => system.cores[0]!.store.expiry.step(randomUUID(), tenant, { before: Date.now() * 1_000 }, 100, 1)
  expect(await step()).toMatchObject({ removed: 2, isCut: true })
  expect(await step()).toMatchObject({ removed: 1, isCut: false })
  expect(await step()).toMatchObject({ removed: 0 })
})
