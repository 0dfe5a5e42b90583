import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, type Database } from '../core/process/database/database.ts'
import { formerLearners } from '../core/analytics/store/cell/former-learners.ts'
import { tallyStore } from '../core/analytics/store/cell/tallies.ts'
import type { Distribution, GetAnswersResponse } from '../gen/lrs/v1/answers_pb.js'
import type { Game } from './support/games.ts'
import { cutBy, recount, type Clock, type Range, type Sent } from './support/recount-answers.ts'
import { player, statement, statements, voiding, type Json } from './support/statements.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let system: System
let database: Database

beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0 })
  database = openDatabase({ url: system.database.url, connections: 4, wait: 9_000, statementTimeout: 10_000, cell: 1 })
})
afterAll(async () => {
  await database.knex.destroy()
  await system.close()
})

const dayMs = 86_400_000
const today = Math.floor(Date.now() / dayMs)
const dayName = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10)
const dayOf = (name: string) => Date.parse(name) / dayMs
const send = (game: Game, list: readonly Json[]) =>
  game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
const tenantOf = async ({ id }: Game) =>
  (await system.database.sql<{ id: number }>('select id from game where uuid = $1', [id]))[0]!.id

/** Stores statements as if it had been some days ago; later calls must not be about earlier days. */
async function sendOn(game: Game, day: number, list: readonly Json[]): Promise<void> {
  await send(game, list)
  if (day === today) return
  await system.database.sql(`update statement set stored = stored - $2::bigint where id = any ($1::uuid[])`, [
    list.map(({ id }) => id),
    (today - day) * dayMs * 1000,
  ])
}

/** Begins to count, but not in the background: sendOn moves what it has just stored. */
const begin = (game: number) =>
  system.database.sql(`insert into tally_cursor (game, opened) values ($1, '2000-01-01')`, [game])

/** What the studio has set. */
const setClock = (game: number, { zone, start, cut }: Clock) =>
  system.database.sql('update tenant set zone = $2, start = $3, cut = $4, version = version + 1 where game = $1', [
    game,
    zone,
    start ?? null,
    cut ?? null,
  ])
const utc: Clock = { zone: 'UTC' }

/** Counts all in steps of this size; two at a time. */
async function fold(game: number, most: number): Promise<void> {
  const store = tallyStore(database, formerLearners(), most)
  const one = async () => {
    while ((await store.fold(game)) !== 'done');
  }
  await Promise.all([one(), one()])
}

const ask = async (game: Game, { from, to, build }: Omit<Range, 'today'>): Promise<GetAnswersResponse> => {
  for (let core = 0; ; core = 1 - core) {
    const { answers } = system.connections[core]!.as(bearer(tokens.admin))
    const answer = await answers.getAnswers({ gameId: game.id, from: dayName(from), to: dayName(to), build })
    if (answer.complete) return answer
  }
}

const verbs = [
  'launched',
  'initialized',
  'attempted',
  'completed',
  'passed',
  'failed',
  'terminated',
  'experienced',
] as const
const registrations = Array.from({ length: 3 }, () => randomUUID())

const oneStatement = fc.record({
  who: fc.constantFrom('ann', 'ann', 'ann', 'ben', 'cleo', 'team of ann', 'team of dan'),
  verb: fc.constantFrom(...verbs),
  level: fc.constantFrom('/levels/1', '/levels/1', '/levels/1', '/levels/2', '/world', 'game', 'question'),
  registration: fc.option(fc.nat(1), { nil: undefined }),
  revision: fc.option(fc.constantFrom('1.0', '2.0'), { nil: undefined, freq: 2 }),
  language: fc.option(fc.constantFrom('de', 'en'), { nil: undefined, freq: 2 }),
  device: fc.option(fc.constantFrom('phone', 7, true), { nil: undefined, freq: 2 }),
  /** Before today; undefined: none is sent, so it is that of arrival, or after it. */
  minutes: fc.option(
    fc.oneof(
      fc.nat(60 * 1_440),
      fc.nat(30).map((n) => n * 60),
    ),
    { nil: undefined, freq: 12 },
  ),
  /** Levels may name the world as the one that contains them. */
  parent: fc.option(fc.constant('/world'), { nil: undefined, freq: 1 }),
  result: fc.option(
    fc.record(
      {
        success: fc.boolean(),
        completion: fc.boolean(),
        duration: fc.constantFrom('PT12.5S', 'PT30S', 'PT90S', 'PT90000S'),
        score: fc.integer({ min: -100, max: 100 }).map((hundredths) => ({ scaled: hundredths / 100 })),
      },
      { requiredKeys: [] },
    ),
    { nil: undefined, freq: 2 },
  ),
  /** It is voided before or after it comes; undefined: it is not. */
  voided: fc.option(fc.nat(5), { nil: undefined, freq: 6 }),
})
const device = 'https://games.example.org/device'
type One = typeof oneStatement extends fc.Arbitrary<infer T> ? T : never
/** New York changes its clock on 1 November 2026, Auckland did on 27 September. */
const clock: fc.Arbitrary<Clock> = fc.record({
  zone: fc.constantFrom('UTC', 'Pacific/Auckland', 'America/New_York'),
  start: fc.option(fc.constant(today * dayMs - 20 * dayMs), { nil: undefined }),
  cut: fc.constantFrom(undefined, 'language', device),
})
const traffic = fc.record({
  phases: fc.array(
    fc.record({
      ago: fc.oneof(fc.nat(45), fc.constantFrom(0, 1, 6, 7, 30, 31)),
      list: fc.array(oneStatement, { minLength: 4, maxLength: 18 }),
    }),
    {
      minLength: 3,
      maxLength: 6,
    },
  ),
  steps: fc.array(fc.constantFrom(1, 2, 3, 7, 500), { minLength: 6, maxLength: 6 }),
  range: fc.tuple(fc.nat(50), fc.nat(50)),
  build: fc.constantFrom(undefined, 0, 1, 1_000_001),
  clocks: fc.tuple(fc.nat(5), clock, clock),
  erased: fc.option(fc.nat(5), { nil: undefined }),
})

const jsonOf = (game: Game, id: string, one: One): Json =>
  statement({
    id,
    actor: {
      ...player(`${one.who.replace('team of ', '')}-${game.id}`),
      ...(one.who.startsWith('team') && { objectType: 'Group' }),
    },
    verb: { id: `http://adlnet.gov/expapi/verbs/${one.verb}` },
    object:
      one.level === 'game'
        ? { id: `https://lrs.example.org/games/${game.id}` }
        : {
            id: `https://games.example.org${one.level}`,
            ...(one.level === 'question'
              ? { definition: { type: 'http://adlnet.gov/expapi/activities/cmi.interaction' } }
              : {}),
          },
    ...(one.result && { result: one.result }),
    context: {
      ...(one.registration !== undefined && { registration: registrations[one.registration] }),
      ...(one.revision !== undefined && { revision: one.revision }),
      ...(one.language !== undefined && { language: one.language }),
      ...(one.device !== undefined && { extensions: { [device]: one.device } }),
      // what a voided statement named stays
      ...(one.parent !== undefined &&
        one.voided === undefined &&
        one.who !== 'ben' &&
        one.level !== '/world' && {
          contextActivities: { parent: [{ id: `https://games.example.org${one.parent}` }] },
        }),
    },
    ...(one.minutes !== undefined && { timestamp: new Date(today * dayMs - one.minutes * 60_000).toISOString() }),
  })

/** What the store has, without voided and voiding statements, in the order of `stored`. */
async function stored(game: number): Promise<Sent[]> {
  const rows = await system.database.sql<{ stored: string; actor: string; body: string; build: number | null }>(
    `select s.stored, s.actor, s.body, b.build from statement s
      left join session_build b on b.game = s.game and b.registration = s.registration
      where s.game = $1 and not s.voided and not s.voids order by s.stored`,
    [game],
  )
  const numbers = await system.database.sql<{ number: number; name: string }>(
    'select number, name from tally_build where game = $1',
    [game],
  )
  return rows.map(({ stored, actor, body, build }) => {
    const json = JSON.parse(body)
    const revision = numbers.find(({ name }) => name !== '' && name === json.context?.revision)
    return { stored: Number(stored), actor, json, build: build ?? revision?.number ?? 0 }
  })
}

const spread = ({ count, mean, firstQuartile, median, thirdQuartile }: Distribution) => ({
  count: Number(count),
  mean: expect.closeTo(mean, 4),
  quartiles: [firstQuartile, median, thirdQuartile],
})
const by = <T extends { activityId: string }>(levels: readonly T[], of: (level: T) => unknown) =>
  Object.fromEntries(levels.map((level) => [level.activityId, of(level)]))

/** An answer in the form of a recount. */
function told(answer: GetAnswersResponse) {
  const { funnel, levels, leaving, sessions, returns } = answer
  const count = (value: bigint | undefined) => (value === undefined ? undefined : Number(value))
  return {
    people: Number(answer.people),
    teams: Number(answer.teams),
    newPeople: Number(answer.newPeople),
    funnel: by(funnel!.levels, ({ started, completed }) => [Number(started), Number(completed)]),
    levels: by(levels!.levels, ({ attempts, completed, passed, failed, abandoned, ...more }) => ({
      attempts: Number(attempts),
      completed: Number(completed),
      passed: Number(passed),
      failed: Number(failed),
      abandoned: Number(abandoned),
      firsts: [more.firstTries, more.firstCompleted, more.firstPassed, more.firstFailed].map(Number),
      seconds: spread(more.seconds!),
      scores: spread(more.scores!),
    })),
    leaving: {
      people: Number(leaving!.people),
      beforeAny: Number(leaving!.beforeAny),
      levels: by(leaving!.levels, ({ during, after }) => [Number(during), Number(after)]),
    },
    sessions: { sessions: Number(sessions!.sessions), seconds: spread(sessions!.seconds!) },
    cohorts: Object.fromEntries(
      returns!.cohorts.map(({ day, people, after1, after7, after30 }) => [
        String(dayOf(day)),
        [people, after1, after7, after30].map(count),
      ]),
    ),
    days: returns!.days.map(({ people, returned }) => [Number(people), Number(returned)]),
  }
}

const numbersOf = ({ cutValues }: GetAnswersResponse) => new Map(cutValues.map(({ name, number }) => [name, number]))

/** The same for each value of the cut. @param sent with the numbers of values in place of those of builds */
async function expectCut(
  game: Game,
  sent: readonly Sent[],
  { cutValues }: GetAnswersResponse,
  range: Range,
  clock: Clock,
): Promise<void> {
  for (const { number: build, people } of cutValues) {
    const one = recount(sent, { ...range, build }, clock)
    expect(told(await ask(game, { ...range, build }))).toEqual(one)
    expect(Number(people)).toBe(one.people)
  }
  const { people } = recount(sent, { ...range, build: -1 }, clock)
  expect(people).toBe(0)
}

async function expectRecount(game: Game, ranges: readonly Omit<Range, 'today'>[], clock = utc): Promise<void> {
  const sent = await stored(await tenantOf(game))
  const now = dayOf(new Date().toLocaleDateString('sv-SE', { timeZone: clock.zone }))
  for (const range of ranges) {
    const answer = await ask(game, range)
    expect(told(answer)).toEqual(recount(sent, { ...range, today: now }, clock))
    expect(answer.cut).toBe(clock.cut ?? '')
    if (!clock.cut) expect(answer.cutValues).toEqual([])
    else if (range.build === undefined)
      await expectCut(game, cutBy(sent, clock.cut, numbersOf(answer)), answer, { ...range, today: now }, clock)
  }
}

test('every answer equals a recount, with voided statements and with every size of step', async () => {
  await fc.assert(
    fc.asyncProperty(traffic, async ({ phases, steps, range, build, clocks, erased }) => {
      const game = await system.game()
      const tenant = await tenantOf(game)
      const [changes, ...[first, second]] = clocks
      await setClock(tenant, first)
      await begin(tenant)
      await system.database.sql('insert into session_build (game, registration, build) values ($1, $2, 1)', [
        tenant,
        registrations[0],
      ])
      const lists: Json[][] = phases.map(() => [])
      for (const [n, { list }] of phases.entries()) {
        for (const one of list) {
          const id = randomUUID()
          lists[n]!.push(jsonOf(game, id, one))
          if (one.voided !== undefined) lists[one.voided % phases.length]!.push(voiding(id))
        }
      }
      const days = phases.map(({ ago }) => today - ago).toSorted((a, b) => a - b)
      for (const [n, list] of lists.entries()) {
        if (list.length > 0) await sendOn(game, days[n]!, list)
        if (n === changes) await setClock(tenant, second)
        await fold(tenant, steps[n]!)
        if (n === erased) await system.admin.admin.eraseLearner({ agent: JSON.stringify(player(`ben-${game.id}`)) })
      }
      const [from, to] = [today - Math.max(...range), today - Math.min(...range)]
      const ranges = [
        { from: today - 100, to: today + 1 },
        { from, to },
        { from, to, build },
        { from: today - 100, to: today + 1, build },
      ]
      await expectRecount(game, ranges, changes < phases.length ? second : first)
    }),
    { numRuns: 5, endOnFailure: true },
  )
}, 120_000)

const levelOf = (who: string, verb: string, level: number, over: object = {}) =>
  statement({
    actor: player(who),
    verb: { id: `http://adlnet.gov/expapi/verbs/${verb}` },
    object: { id: `https://games.example.org/levels/${level}`, definition: { name: { en: `Level ${level}` } } },
    ...over,
  })
const everything = { from: today - 30, to: today }

test('a long history counts the same in whatever order it arrives', async () => {
  const game = await system.game()
  const tenant = await tenantOf(game)
  await begin(tenant)
  const list = Array.from({ length: 400 }, (_, n) =>
    levelOf('ann', ['initialized', 'completed', 'passed', 'terminated'][(n * 7 + (n >> 2)) % 4]!, 1, {
      timestamp: new Date(today * dayMs - (400 - n) * 3_600_000).toISOString(),
    }),
  )
  const random = Array.from({ length: list.length }, (_, n) => (n * 7_919) % list.length)
  expect(new Set(random).size).toBe(list.length)
  // the first and the last come first, so that all others are late
  const order = [0, list.length - 1, ...random.filter((n) => n > 0 && n < list.length - 1)].map((n) => list[n]!)
  for (let from = 0; from < order.length; from += 100) {
    await send(game, order.slice(from, from + 100))
    await fold(tenant, 7)
  }
  await expectRecount(game, [everything])
}, 60_000)

test('an erased learner is in no answer; those whose statements named the learner are counted as before', async () => {
  const game = await system.game()
  const registration = randomUUID()
  const context = { registration }
  await send(game, [
    levelOf('zoe', 'initialized', 1, { context }),
    levelOf('zoe', 'completed', 1, { context }),
    levelOf('yan', 'initialized', 1),
    levelOf('yan', 'completed', 1, { context: { instructor: player('zoe') } }),
  ])
  expect(await ask(game, everything)).toMatchObject({ people: 2n, sessions: { sessions: 1n } })
  await system.admin.admin.eraseLearner({ agent: JSON.stringify(player('zoe')) })
  const answer = await ask(game, everything)
  expect(answer).toMatchObject({ people: 1n, newPeople: 1n, sessions: { sessions: 0n } })
  expect(answer.funnel!.levels).toMatchObject([{ name: 'Level 1', started: 1n, completed: 1n }])
  await expectRecount(game, [everything])
  const left = await system.database.sql('select from learner_fact where game = $1', [await tenantOf(game)])
  expect(left).toHaveLength(1)
})

test('a game that moved to another cell is counted on, and nothing twice', async () => {
  await system.admin.cells.addCell({})
  const game = await system.game()
  const first = [levelOf('ann', 'initialized', 1), levelOf('ann', 'completed', 1), levelOf('ben', 'initialized', 1)]
  await send(game, first)
  expect(await ask(game, everything)).toMatchObject({ people: 2n })
  const from = (await system.database.sql<{ cell: number }>('select cell from tenant where uuid = $1', [game.id]))[0]!
  await system.admin.cells.moveGame({ gameId: game.id, cell: 3 - from.cell })
  await send(game, [levelOf('ben', 'completed', 1), voiding(first[1]!.id)])
  const { funnel } = await ask(game, everything)
  expect(funnel!.levels).toMatchObject([{ started: 2n, completed: 1n }])
})

test('quartiles of many values are those of the values', async () => {
  const game = await system.game()
  const seconds = Array.from({ length: 240 }, (_, n) => Math.round(1_000 * 1.03 ** n) / 1_000)
  await send(
    game,
    seconds.map((value) => levelOf('ann', 'completed', 1, { result: { duration: `PT${value}S` } })),
  )
  const { levels } = await ask(game, everything)
  const { exact, bins, firstQuartile, median, thirdQuartile } = levels!.levels[0]!.seconds!
  expect({ exact, quartiles: [firstQuartile, median, thirdQuartile] }).toEqual({
    exact: true,
    quartiles: [seconds[59], seconds[119], seconds[179]],
  })
  const bounds = [0, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, Infinity]
  expect(bins.map(Number)).toEqual(
    bounds.slice(1).map((to, n) => seconds.filter((value) => value >= bounds[n]! && value < to).length),
  )
})

test('help: learners with three attempts at a level and none completed, the last seen first', async () => {
  const game = await system.game()
  const tries = (name: string, level: number, count: number, ago: number, last = 'initialized') =>
    Array.from({ length: count }, (_, n) =>
      levelOf(name, n === count - 1 ? last : 'initialized', level, {
        timestamp: new Date(Date.now() - (ago * 100 - n) * 60_000).toISOString(),
        context: { registration: randomUUID() },
      }),
    )
  const asked = async () => {
    for (;;) {
      const { answers } = system.connections[0]!.as(bearer(tokens.admin))
      const days = { from: dayName(today), to: dayName(today) }
      const found = await answers.getAnswers({ gameId: game.id, parts: [7], ...days })
      if (found.complete) return found.help!.people.map(({ name, level, attempts }) => [name, level, attempts])
    }
  }
  const team = { objectType: 'Group', account: player('team').account, name: 'team' }
  await send(game, [
    ...tries('ann', 1, 3, 9),
    ...tries('ben', 1, 2, 8),
    ...tries('cleo', 1, 5, 7, 'completed'),
    ...tries('dora', 2, 4, 6, 'failed'),
    ...tries('dora', 1, 3, 5),
    ...tries('team', 1, 3, 4).map((one) => ({ ...one, actor: team })),
  ])
  // the game itself is no level, however many began it three times
  const whole = { id: `https://games.example.org/games/${game.id}` }
  const began = Array.from({ length: 120 }, (_, n) => tries(`player-${n}`, 1, 3, 0)).flat()
  for (let at = 0; at < began.length; at += 120)
    await send(
      game,
      began.slice(at, at + 120).map((one) => ({ ...one, object: whole })),
    )
  expect((await asked()).map(([, ...rest]) => rest)).toEqual([
    ['Level 2', 4],
    ['Level 1', 3],
    ['Level 1', 3],
  ])
  await send(game, tries('dora', 1, 1, 1, 'completed'))
  expect((await asked()).map(([, ...rest]) => rest)).toEqual([
    ['Level 2', 4],
    ['Level 1', 3],
  ])
}, 60_000)

test('answers of a sandbox that nobody opened are empty; parts that were not asked for are absent', async () => {
  const game = await system.game()
  await send(game, statements(3))
  const { answers } = system.connections[0]!.as(bearer(tokens.admin))
  const days = { from: dayName(today - 6), to: dayName(today) }
  expect(await answers.getAnswers({ gameId: game.id, sandbox: true, ...days })).toMatchObject({
    complete: true,
    people: 0n,
    levels: { levels: [], more: false },
  })
  const one = await answers.getAnswers({ gameId: game.id, parts: [1], ...days })
  expect(Object.keys(one).filter((name) => ['funnel', 'levels', 'returns'].includes(name))).toEqual(['funnel'])
})
