import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attemptVerbs, stepOf } from '../core/analytics/rules/attempts.ts'
import { playedBy, type Said } from '../core/analytics/rules/learner-levels.ts'
import { playOf } from '../core/analytics/rules/plays.ts'
import { daysOf, happenedAt } from '../core/analytics/rules/when.ts'
import type { Statement } from '../core/records/xapi/types.ts'
import { analyst, writeDays } from './support/parquet.ts'

/** The SQL of docs/analytics.md against the rules of core, on statements as bad games send them. */
const gameId = '00000000-0000-4000-8000-0000000000aa'
let state = 29
/** The same numbers in each run. */
const below = (limit: number): number => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor((state / 2_147_483_648) * limit)
}
const oneOf = <T>(list: readonly T[]): T => list[below(list.length)]!
const maybe = <T>(chance: number, make: () => T): T | undefined => (below(100) < chance ? make() : undefined)

const adl = 'http://adlnet.gov/expapi/'
const known = (word: string) => attemptVerbs.filter((verb) => verb.endsWith(`/${word}`))
const verbs = [
  ...['initialized', 'launched', 'attempted', 'completed', 'completed', 'passed', 'failed', 'terminated'].flatMap(
    known,
  ),
  'https://adlnet.gov/expapi/verbs/completed',
  'https://v.example/did',
  `${adl}verbs/answered`,
  `${adl}verbs/scored`,
]
const levelType = 'https://w3id.org/xapi/seriousgames/activity-types/level'
const objects = [
  ...Array.from({ length: 5 }, (_, n) => ({
    id: `https://g.example/levels/${n}`,
    type: n < 2 ? undefined : levelType,
  })),
  { id: 'https://g.example/whole', type: undefined },
  { id: `https://lrs.example/games/${gameId}`, type: undefined },
  { id: 'https://g.example/harbour', type: 'http://curatr3.com/define/type/serious-game' },
]
const question = (n: number) => ({
  id: `https://g.example/questions/${n}`,
  definition: {
    type: `${adl}activities/cmi.interaction`,
    interactionType: ['choice', 'true-false', 'fill-in'][n % 3],
    correctResponsesPattern: [['a[,]b', 'c'], ['true'], ['a']][n % 3],
  },
})
const begin = Date.UTC(2026, 9, 23)
const iso = (at: number) => new Date(at).toISOString()
/** Late, early, and at the same second as others; the clocks of Europe change on the 25th. */
const statements = Array.from({ length: 6_000 }, (_, n) => {
  const stored = begin + n * 60_000 + 7
  const at = stored - (stored % 1_000) - (below(4) === 0 ? below(200) * 3_600_000 : below(120) * 1_000)
  const verb = oneOf(verbs)
  const object = oneOf(objects)
  const isTeam = below(12) === 0
  return {
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    actor: {
      objectType: isTeam ? 'Group' : undefined,
      account: { homePage: 'https://s.example', name: isTeam ? 'reds' : `learner ${below(9)}` },
    },
    verb: { id: verb },
    object: verb.endsWith('answered')
      ? question(below(6))
      : { id: object.id, definition: { type: object.type, name: { en: 'The cave' } } },
    result: maybe(70, () => ({
      success: maybe(25, () => below(2) === 0),
      completion: maybe(25, () => below(3) > 0),
      duration: maybe(30, () => oneOf(['PT1M2.5S', 'PT0.0004S', 'P2D', 'PT90S'])),
      response: maybe(80, () => oneOf(['a', 'b[,]a', 'a[,]b', 'c', 'true', 'false'])),
      score: maybe(40, () =>
        oneOf([{ scaled: 0.5 }, { scaled: -0.1 }, { raw: 3, min: 0, max: 4 }, { raw: 9, max: 4 }]),
      ),
    })),
    context: {
      registration: maybe(85, () => `00000000-0000-4000-8000-00000000000${below(3)}`),
      revision: maybe(50, () => oneOf(['1.0', '1.1'])),
      contextActivities: maybe(20, () => ({ parent: [{ id: 'https://g.example/whole' }] })),
    },
    timestamp: oneOf([iso(at), iso(at), iso(at), iso(stored + 86_400_000), '1970-01-01T00:00:03Z']),
    stored: iso(stored).replace('Z', '000Z'),
  }
})

const said: readonly (Said & { readonly learner: string; readonly at: number; readonly isTeam: boolean })[] =
  statements.map((one) => {
    const stored = Date.parse(one.stored) * 1000
    return {
      stored,
      statement: JSON.parse(JSON.stringify(one)) as Statement,
      learner: one.actor.account.name,
      isTeam: one.actor.objectType === 'Group',
      at: happenedAt(one.timestamp, stored, null),
    }
  })
const byLearner = [...Map.groupBy(said, ({ learner }) => learner).values()]
const wholeGames = new Set(playedBy(said, gameId, null).flatMap((of) => (of.wholeGame ? of.activityId : [])))
const played = byLearner.flatMap((of) => playedBy(of, gameId, null).map((one) => ({ ...one, isTeam: of[0]!.isTeam })))
const byLevel = [...Map.groupBy(played, ({ activityId }) => activityId)]
const sum = (values: readonly number[]) => Math.round(values.reduce((all, value) => all + value, 0) * 1_000) / 1_000
const byFirst = ([a]: readonly unknown[], [b]: readonly unknown[]) => (String(a) < String(b) ? -1 : 1)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lrs-messy-'))
  await writeDays(folder, statements)
})
afterAll(() => rm(folder, { recursive: true }))

describe.each(['UTC', 'Europe/Berlin', 'Pacific/Auckland'])('in the zone %s', (zone) => {
  let sql: Awaited<ReturnType<typeof analyst>>
  beforeAll(async () => {
    sql = await analyst(folder, zone)
  })
  afterAll(() => sql.close())
  const rows = async (text: string) => (await sql.ask(text)).map((row) => Object.values(row).map(Number))

  test('the verbs are those of attempts', async () => {
    const found = await sql.ask('select verb_iri, mark from verbs')
    const step = (id: string) => stepOf({ verb: { id }, object: { id: 'x:1' } } as unknown as Statement, 0, 0)!
    expect(found.map((row) => Object.values(row)).toSorted(byFirst)).toEqual(
      attemptVerbs.map((iri) => [iri, step(iri).mark]).toSorted(byFirst),
    )
  })

  test('each level has the same attempts, and the game itself is the same', async () => {
    const found = await sql.ask(`select activity_iri, count(*)::int as attempts, count(*) filter (completed)::int,
        count(*) filter (passed)::int, count(*) filter (failed)::int, count(*) filter (abandoned)::int,
        count(seconds)::int, coalesce(round(sum(seconds), 3), 0), count(score)::int, coalesce(round(sum(score), 3), 0),
        whole_game
      from attempts join names using (activity_iri) group by activity_iri, whole_game`)
    const counted = byLevel.map(([level, of]) => {
      const attempts = of.flatMap((one) => one.attempts)
      const seconds = attempts.flatMap(({ millis }) => (millis === null ? [] : millis / 1000))
      const scores = attempts.flatMap(({ score }) => score ?? [])
      return [
        level,
        attempts.length,
        attempts.filter(({ completed }) => completed).length,
        attempts.filter(({ success }) => success === true).length,
        attempts.filter(({ success }) => success === false).length,
        attempts.filter(({ completed, success }) => !completed && success === null).length,
        seconds.length,
        sum(seconds),
        scores.length,
        sum(scores),
        wholeGames.has(level),
      ]
    })
    expect(counted.map(([, attempts]) => attempts as number)).not.toContain(0)
    expect(found.map((row) => Object.values(row)).toSorted(byFirst)).toEqual(counted.toSorted(byFirst))
    expect([...wholeGames].toSorted()).toEqual(
      objects
        .slice(5)
        .map(({ id }) => id)
        .toSorted(),
    )
  })

  test('people, without teams, by day and by level', async () => {
    const dayOf = daysOf(zone)
    const days = [...Map.groupBy(said, ({ at }) => dayOf(at))].map(([day, of]) => [
      day,
      new Set(of.filter(({ isTeam }) => !isTeam).map(({ learner }) => learner)).size,
      of.length,
    ])
    const found = await rows(`select day - date '1970-01-01', count(distinct learner) filter (where not team), count(*)
      from statements group by day order by day`)
    expect(found).toEqual(days.toSorted(([a], [b]) => a! - b!))
    const funnel = byLevel
      .filter(([level]) => !wholeGames.has(level))
      .map(([level, of]) => {
        const people = of.filter(({ isTeam }) => !isTeam)
        return [level, people.length, people.filter((one) => one.attempts.some(({ completed }) => completed)).length]
      })
    const told = (await sql.answer(2)).map(([level, , started, completed]) => [level, started, completed])
    expect(told.toSorted(byFirst)).toEqual(funnel.toSorted(byFirst))
  })

  test('answers are judged alike', async () => {
    const judged = said.flatMap(({ statement }) => {
      const right = statement.verb.id.endsWith('answered') ? playOf(statement)?.choice?.right : undefined
      return right === undefined ? [] : [{ id: (statement.object as { id: string }).id, right }]
    })
    const shares = [...Map.groupBy(judged, ({ id }) => id)].map(([id, of]) => [
      id,
      of.length,
      Number((of.filter(({ right }) => right).length / of.length).toFixed(6)),
    ])
    const told = (await sql.answer(9)).map(([id, , answers, share]) => [id, answers, share])
    expect(told.toSorted(byFirst)).toEqual(shares.toSorted(byFirst))
  })

  test('sessions above 24 hours have no length', async () => {
    const sessions = said.filter(({ statement }) => statement.context?.registration !== undefined)
    const names = new Set(sessions.map(({ learner, statement }) => `${learner} ${statement.context!.registration}`))
    expect((await sql.answer(7))[0]!.slice(0, 2)).toEqual([names.size, null])
  })
})
