import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashSecret } from '../core/process/secret.ts'
import type { GetInsightsResponse } from '../gen/lrs/v1/insights_pb.js'
import type { Game } from './support/games.ts'
import { player, statement, statements, voiding } from './support/statements.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let system: System

beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0 })
})
afterAll(() => system.close())

const today = () => new Date().toISOString().slice(0, 10)
const daysAgo = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10)

const ask = (game: Game, { core = 0, from = daysAgo(6), to = today(), sandbox = false } = {}) =>
  system.connections[core]!.as(bearer(tokens.admin)).insights.getInsights({ gameId: game.id, from, to, sandbox })

/** Asks until everything is counted. */
async function settled(game: Game, options: Parameters<typeof ask>[1] = {}): Promise<GetInsightsResponse> {
  for (;;) {
    const insights = await ask(game, options)
    if (insights.complete) return insights
  }
}

const send = (game: Game, list: object[], core = 0) =>
  game.rpc(core).statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
const sum = ({ days }: GetInsightsResponse) => days.reduce((total, day) => total + Number(day.statements), 0)
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => ConnectError.from(error).rawMessage,
  )

const tenantOf = async ({ id }: Game) =>
  (await system.database.sql('select id from game where uuid = $1', [id]))[0]!['id'] as number

/** Puts statements on an earlier day: a game's first ones, or the order would not hold. */
const move = (ids: string[], days: number) =>
  system.database.sql(`update statement set stored = stored - $2::bigint where id = any ($1::uuid[])`, [
    ids,
    days * 86_400_000_000,
  ])

test('every day of the range is there, and what happened on it', async () => {
  const game = await system.game()
  const early = [
    statement({ actor: player('ann'), context: { registration: randomUUID() } }),
    statement({ actor: player('ben') }),
  ]
  await send(game, early)
  await move(
    early.map(({ id }) => id),
    2,
  )
  const registration = randomUUID()
  await send(game, statements(3, { actor: player('ann'), context: { registration } }))
  const insights = await settled(game)
  expect(insights.days.map(({ day }) => day)).toEqual(Array.from({ length: 7 }, (_, n) => daysAgo(6 - n)))
  expect(insights.days.map((day) => [day.statements, day.learners, day.sessions].map(Number))).toEqual([
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
    [2, 2, 1],
    [0, 0, 0],
    [3, 1, 1],
  ])
  expect([insights.learners, insights.sessions].map(Number)).toEqual([2, 2])
  expect(insights.verbs.map(({ verbId, statements }) => [verbId, Number(statements)])).toEqual([
    ['https://games.example.org/verbs/played', 5],
  ])
  // a range that ends before the first statement
  expect(await settled(game, { from: daysAgo(6), to: daysAgo(3) })).toMatchObject({
    learners: 0n,
    sessions: 0n,
    verbs: [],
    activities: [],
  })
})

test('levels: completions, success, scores, and nothing of what was voided in whatever order', async () => {
  const game = await system.game()
  const level = { id: 'https://games.example.org/levels/3', definition: { name: { de: 'Stufe 3', en: 'Level 3' } } }
  const finished = (result: object) =>
    statement({ object: level, verb: { id: 'http://adlnet.gov/expapi/verbs/completed' }, result })
  const mistaken = [finished({ success: true, score: { scaled: 1 } }), finished({ score: { scaled: 1 } }), finished({})]
  await send(game, [
    voiding(mistaken[1].id),
    mistaken[0],
    finished({ success: true, score: { scaled: 0.85 } }),
    finished({ success: false, score: { scaled: 0.25 } }),
    finished({}),
  ])
  await settled(game)
  await send(game, [mistaken[1], mistaken[2], voiding(mistaken[0].id), voiding(mistaken[2].id)])
  await send(game, [
    voiding(mistaken[0].id),
    voiding(mistaken[2].id),
    { ...voiding(mistaken[2].id), actor: player('ben') },
  ])
  const { activities, ...insights } = await settled(game)
  expect(activities).toMatchObject([
    {
      activityId: level.id,
      name: 'Level 3',
      completions: 3n,
      passed: 1n,
      failed: 1n,
      scored: 2n,
      scores: [0n, 0n, 1n, 0n, 0n, 0n, 0n, 0n, 1n, 0n],
    },
  ])
  expect(activities[0]!.mean).toBeCloseTo(0.55)
  // three voiding ones are there besides, and those that void once more
  expect(insights.verbs.map(({ verbId, statements }) => [verbId.replace(/.*\//, ''), Number(statements)])).toEqual([
    ['voided', 6],
    ['completed', 3],
  ])
})

test('each statement counts once while others read and write', async () => {
  const game = await system.game()
  let writing = true
  const learners = Array.from({ length: 40 }, (_, n) => player(`learner ${n}`))
  const looks: GetInsightsResponse[] = []
  const look = async (core: number) => {
    while (writing) {
      looks.push(await ask(game, { core }))
      await setTimeout(20)
    }
  }
  const write = async (writer: number) => {
    for (let batch = 0; batch < 12; batch++) {
      await send(
        game,
        Array.from({ length: 50 }, (_, n) =>
          statement({ actor: learners[(batch * 50 + n) % learners.length], result: { score: { scaled: n / 50 } } }),
        ),
        writer % 2,
      )
    }
  }
  const looking = [0, 1, 0, 1].map(look)
  await Promise.all([0, 1, 2, 3].map(write))
  writing = false
  await Promise.all(looking)
  const both = await Promise.all([0, 1, 0, 1].map((core) => settled(game, { core })))
  for (const insights of both) {
    expect(sum(insights)).toBe(2_400)
    expect(insights).toMatchObject({ learners: 40n, sessions: 0n, behind: 0n })
    expect(insights.activities[0]!.scores.map(Number)).toEqual(Array(10).fill(240))
  }
  const seen = looks.map(sum)
  expect(seen.length).toBeGreaterThan(4)
  expect(Math.max(...seen)).toBeLessThanOrEqual(2_400)
})

test('a fold that dies half-way counts nothing, and the next one all', async () => {
  const game = await system.game()
  await send(game, statements(10))
  const { sql } = system.database
  await sql(`alter table active_day add constraint broken check (game <> ${await tenantOf(game)}) not valid`)
  await expect(ask(game)).rejects.toThrow()
  expect(system.errors.splice(0)).toHaveLength(1)
  await sql('alter table active_day drop constraint broken')
  expect(sum(await settled(game))).toBe(10)
})

test('refused requests are counted by reason and place, over restarts and cores', async () => {
  const game = await system.game()
  const caller = { game: await tenantOf(game) }
  const note = (core: number, over: object) =>
    system.cores[core]!.refusals.note(caller, {
      request: 'POST /xapi/statements',
      status: 400,
      reason: 'INVALID',
      path: '',
      message: '',
      ...over,
    })
  for (let n = 0; n < 5; n++) note(n % 2, { path: `statements[${n}].verb.id`, message: `must be an IRI (${n})` })
  note(0, { reason: 'RATE_LIMITED', status: 429, message: 'Rate limit exceeded' })
  note(0, { path: 'a\0b', message: '\ud800' })
  await system.cores[1]!.refusals.flush()
  // a core that ends writes what it has counted
  const short = await startSystem({ gateways: 0, database: { ...system.database, close: async () => {} } })
  short.cores[0]!.refusals.note(caller, {
    request: 'POST /xapi/statements',
    status: 400,
    reason: 'INVALID',
    path: 'statements[9].verb.id',
    message: 'must be an IRI (9)',
  })
  await short.close()
  const { refusals, days } = await ask(game)
  expect(refusals).toMatchObject([
    {
      reason: 'INVALID',
      status: 400,
      request: 'POST /xapi/statements',
      path: 'statements[].verb.id',
      count: 6n,
      message: expect.stringMatching(/^must be an IRI/),
    },
    { count: 1n },
    { count: 1n },
  ])
  expect(refusals.map(({ reason, path, message }) => `${reason} ${path} ${message}`)).toEqual(
    expect.arrayContaining(['RATE_LIMITED  Rate limit exceeded', 'INVALID a\ufffdb \ufffd']),
  )
  expect(days.at(-1)!.refusals).toBe(8n)
  expect(Number(refusals[0]!.last)).toBeGreaterThan(Date.now() / 1000 - 60)
})

test('a game refused in a thousand ways takes a bounded number of rows, and no count is lost', async () => {
  const game = await system.game()
  const caller = { game: await tenantOf(game) }
  for (let n = 0; n < 1_000; n++) {
    system.cores[0]!.refusals.note(caller, {
      request: 'POST /xapi/statements',
      status: 400,
      reason: 'INVALID',
      path: `extensions.${n.toString(36)}x`,
      message: '',
    })
    if (n % 60 === 59) await system.cores[0]!.refusals.flush()
  }
  expect((await ask(game)).days.at(-1)!.refusals).toBe(1_000n)
  const kept = await system.database.sql(
    'select count(*)::int as rows, sum(count)::int as count from refusal_tally where game = $1',
    [caller.game],
  )
  expect(kept).toEqual([{ rows: 201, count: 1_000 }])
  expect((await ask(game)).refusals).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ reason: 'OTHER', count: 800n })]),
  )
})

test('a studio sees its own games only, live and sandbox apart', async () => {
  const { sql } = system.database
  const [live, sandbox, foreign] = [await system.game(), await system.game(), await system.game()]
  const session = randomUUID()
  const [studio] = await sql(
    `insert into studio (email, password_hash, name, slug) values ('a@example.org', '', 'A', 'a') returning id`,
  )
  await sql(`insert into studio_session (hash, studio, expires) values ($1, $2, now() + interval '1 hour')`, [
    hashSecret(session),
    studio!['id'],
  ])
  await sql('update game set studio = $2 where uuid = $1', [live.id, studio!['id']])
  await sql('update game set sandbox_of = (select id from game where uuid = $2) where uuid = $1', [sandbox.id, live.id])
  await send(live, statements(2))
  await send(sandbox, statements(3))
  const { insights } = system.connections[0]!.as(bearer(tokens.portal), { 'x-lrs-session': session })
  const range = { from: today(), to: today() }
  expect(sum(await insights.getInsights({ gameId: live.id, ...range }))).toBe(2)
  expect(sum(await insights.getInsights({ gameId: live.id, sandbox: true, ...range }))).toBe(3)
  const { learners, days } = await insights.getInsights({ gameId: live.id, ...range })
  expect((await insights.listGameDays({ gameIds: [live.id], ...range })).games).toMatchObject([
    { gameId: live.id, learners, learnersBefore: 0n, days: days.map((day) => day.learners), refusals: 0n },
  ])
  for (const [gameIds, text] of [
    [[live.id, foreign.id], 'There is no such game, or it is not yours.'],
    [Array.from({ length: 13 }, () => live.id), 'game_ids: must contain no more than 12 item(s)'],
    [['x'], 'game_ids[0]: must be a valid UUID'],
  ] as const)
    expect(await refusal(insights.listGameDays({ gameIds: [...gameIds], ...range }))).toContain(text)
  const refusals: [string, object, string][] = [
    ['of another studio', { gameId: foreign.id, ...range }, 'There is no such game, or it is not yours.'],
    [
      'the tenant of a sandbox by itself',
      { gameId: sandbox.id, ...range },
      'There is no such game, or it is not yours.',
    ],
    ['unknown', { gameId: randomUUID(), ...range }, 'There is no such game, or it is not yours.'],
    ['no day', { gameId: live.id, from: 'yesterday', to: today() }, 'from: must be a day such as 2026-11-21'],
    ['the year 0', { gameId: live.id, from: '0000-12-31', to: '0001-01-05' }, 'from: must be a day such as 2026-11-21'],
    ['30 February', { gameId: live.id, from: '2026-02-30', to: today() }, 'from: must be a day such as 2026-11-21'],
    ['backwards', { gameId: live.id, from: '2026-03-02', to: '2026-03-01' }, 'to: must not be before `from`'],
    ['over a year', { gameId: live.id, from: '2025-01-01', to: '2026-11-21' }, 'to: must be within 366 days of `from`'],
  ]
  for (const [name, request, message] of refusals)
    expect(await refusal(insights.getInsights(request)), name).toBe(message)
  const guest = system.connections[0]!.as(bearer(tokens.portal))
  expect(await refusal(guest.insights.getInsights({ gameId: live.id, ...range }))).toBe(
    'Sign in first: the session has ended.',
  )
  // no sandbox session yet
  expect(sum(await ask(foreign, { sandbox: true }))).toBe(0)
})
