import type { Rejection as RejectionMessage, AnswerBuild } from '../../../../gen/lrs/v1/answers_pb.js'
import type { Fields } from '../../../process/methods/answer.ts'
import { none } from '../../rules/facts/partition.ts'
import { periodsOf } from '../../rules/facts/periods.ts'
import { mostHelped, mostLevels } from '../../rules/facts/sums.ts'
import { gameTypes } from '../../rules/attempts.ts'
import { allBuilds, teamsOf } from '../../rules/turn.ts'
import { cuts } from '../../../../shared/limits.ts'
import { isCutValue } from '../../../../shared/result-address.ts'
import type { Key } from '../../../records/xapi/identify.ts'
import type { Database } from '../../../process/database/database.ts'
import { distributions, type Distribution } from './distributions.ts'
import { reachedBy } from './cursors.ts'
import { cutKey, keyWith, plainKey } from './folds/cuts.ts'
import { daysIn } from './folds/clock.ts'
import type { Counted } from '../../rules/counted.ts'

export type Part = 'funnel' | 'levels' | 'leaving' | 'sessions' | 'returns' | 'rejections' | 'help'

/** Days since 1970, both included. */
export interface Asked {
  readonly from: number
  readonly to: number
  /** Or of a value of the game's cut. Undefined: all. */
  readonly build?: number
  readonly parts: ReadonlySet<Part>
}

export interface Named {
  readonly activity: Key
  readonly iri: string
  readonly name: string
  readonly type: string
  /** Levels name it as the one that contains them. */
  readonly contains: boolean
}
export type Build = Fields<AnswerBuild>
export type FunnelLevel = Named & { readonly started: number; readonly completed: number }
export type LeavingLevel = Named & { readonly during: number; readonly completed: number }
export interface LevelCounts extends Named {
  readonly attempts: number
  readonly completed: number
  readonly passed: number
  readonly failed: number
  readonly abandoned: number
  /** Attempts that are a person's first one at the level. */
  readonly firstTries: number
  readonly firstCompleted: number
  readonly firstPassed: number
  readonly firstFailed: number
}
export type LevelAnswer = LevelCounts & { readonly times: Distribution; readonly scores: Distribution }
export interface Cohort {
  readonly day: number
  readonly people: number
  readonly after1: number
  readonly after7: number
  readonly after30: number
}
/** Someone who tried a level several times and never completed it. */
export interface HelpNeeded extends Pick<Named, 'activity' | 'iri' | 'name'> {
  /** JSON of the identifier. */
  readonly agent: string
  readonly learner: string
  /** Microseconds since 1970. */
  readonly last: number
  readonly attempts: number
}
export type Rejection = Fields<RejectionMessage>

export interface Answers extends Counted {
  /** A day since 1970. */
  readonly today: number
  readonly builds: readonly Build[]
  /** Null: there is none. */
  readonly cut: string | null
  readonly cutValues: readonly Build[]
  readonly people: number
  readonly teams: number
  readonly newPeople: number
  readonly funnel: readonly FunnelLevel[]
  readonly levels: readonly LevelAnswer[]
  readonly leaving: { readonly levels: readonly LeavingLevel[]; readonly people: number; readonly beforeAny: number }
  readonly sessions: { readonly sessions: number; readonly times: Distribution }
  /** For each first day: its people, and how many of them sent something 1, 7 and 30 days later. */
  readonly returns: { readonly cohorts: readonly Cohort[]; readonly after: ReadonlyMap<number, number> }
  readonly help: readonly HelpNeeded[]
  readonly rejections: { readonly builds: readonly { build: number; count: number }[]; readonly kinds: Rejection[] }
}

const mostBuilds = 100
/** Values of a cut, with all others and none. */
const mostValues = cuts.values + 2
const mostKinds = 50

const people = {
  name: 'answers_people',
  text: `select t.build, t.people, b.name, coalesce(extract(epoch from b.uploaded), 0)::float8 as uploaded
    from (
      select build, sum(learners)::float8 as people from presence_tally
      where game = $1 and day between $2 and $3 and previous < $2 and (build >= ${allBuilds} or build = $5)
      group by build having sum(learners) > 0) t
    left join tally_build b on b.game = abs($1) and b.number = t.build
    order by t.build <= ${allBuilds} desc, t.build = $4 desc, b.uploaded desc nulls last, t.build desc
    limit ${mostBuilds + 2}`,
}
const peopleOfValues = {
  name: 'answers_people_of_values',
  text: `select t.build, t.people, b.value as name, 0 as uploaded
    from (
      select build, sum(learners)::float8 as people from presence_tally
      where game = $1 and day between $2 and $3 and previous < $2 and (build >= ${allBuilds} or build = $4)
      group by build having sum(learners) > 0) t
    left join tally_cut b on b.game = $1 and b.number = t.build
    order by t.build <= ${allBuilds} desc, t.people desc, t.build
    limit ${mostValues + 2}`,
}
const inRange = 'game = $1 and day between $2 and $3 and ($4::int is null or build = $4)'
const cohorts = {
  name: 'answers_cohorts',
  text: `select day, ${['people 0', 'after1 1', 'after7 7', 'after30 30']
    .map((one) => one.split(' '))
    .map(([name, n]) => `coalesce(sum(learners) filter (where after = ${n}), 0)::float8 as ${name}`)
    .join(', ')}
    from return_tally where ${inRange} group by day having sum(learners) > 0 order by day`,
}
const returned = {
  name: 'answers_returned',
  text: `select after, sum(learners)::float8 as learners from return_tally
    where ${inRange} and day + after < $5 group by after`,
}
const named = (counts: string, order: string) =>
  `select t.activity, coalesce(n.iri, '') as iri, coalesce(n.name, '') as name, coalesce(n.type, '') as type,
      coalesce(n.contains, false) as contains, ${counts}
    from t left join tally_name n on n.game = ${plainKey('$1')} and n.key = t.activity order by ${order} desc, n.iri
    limit ${mostLevels + 1}`
const funnel = {
  name: 'answers_funnel',
  text: `with t as (
      select activity, sum(started)::float8 as started, sum(completed)::float8 as completed from funnel_tally
      where ${inRange} group by activity having sum(started) > 0)
    ${named('t.started, t.completed', 't.started')}`,
}
const leaving = {
  name: 'answers_leaving',
  text: `with t as (
      select activity, sum(during)::float8 as during, sum(completed)::float8 as completed from leaving_tally
      where ${inRange} and activity <> '${none}' group by activity having sum(during) + sum(completed) > 0)
    ${named('t.during, t.completed', 't.during + t.completed')}`,
}
const left = {
  name: 'answers_left',
  text: `select coalesce(sum(during + completed), 0)::float8 as people,
      coalesce(sum(during) filter (where activity = '${none}'), 0)::float8 as "beforeAny"
    from leaving_tally where ${inRange}`,
}
const firsts = {
  first_tries: 'firstTries',
  first_completed: 'firstCompleted',
  first_passed: 'firstPassed',
  first_failed: 'firstFailed',
}
const sums = [
  ...['attempts', 'completed', 'passed', 'failed', 'abandoned'].map((name) => [name, name]),
  ...Object.entries(firsts),
]
const levels = {
  name: 'answers_levels',
  text: `with t as (
      select t.activity, ${sums.map(([column, name]) => `sum(t.${column})::float8 as "${name}"`).join(', ')}
      from unnest($2::bool[], $3::int[], $4::int[]) p (whole_month, first, last)
      cross join lateral (
        select t.* from attempt_tally t
        where (t.game, t.whole_month, t.day) >= ($1, p.whole_month, p.first)
          and (t.game, t.whole_month, t.day) <= ($1, p.whole_month, p.last)
          and t.activity <> '${none}' and ($5::int is null or t.build = $5)) t
      group by t.activity having sum(t.attempts) > 0)
    ${named(sums.map(([, name]) => `t."${name}"`).join(', '), 't.attempts')}`,
}
const rejected = `game = $1 and day between date '1970-01-01' + $2::int and date '1970-01-01' + $3::int`
const rejectedBuilds = {
  name: 'answers_rejected_builds',
  text: `select build, sum(count)::float8 as count from refusal_tally where ${rejected}
    group by build order by count desc, build limit ${mostBuilds}`,
}
const rejections = {
  name: 'answers_rejections',
  text: `select build, reason, status, request, path, sum(count)::float8 as count,
      extract(epoch from max(last))::float8 as last, (array_agg(message order by last desc))[1] as message
    from refusal_tally where ${rejected} and ($4::int is null or build = $4)
    group by build, reason, status, request, path order by count desc, last desc limit ${mostKinds}`,
}

/** A learner with this many attempts at a level, none of them completed, needs help. */
const manyTries = 3
/** Of those seen last, and of 100 levels of each: a query reads 100,000 rows at most, whatever the game sends. */
const mostSeen = 1_000
/** The game itself is no level. One more than are shown says that there are more. */
const help = {
  name: 'answers_help',
  text: `select l.agent, l.name as learner, l.last::float8 as last, v.attempts, v.activity, n.iri, n.name
    from (
      select * from learner_seen l where (l.game, l.last, l.actor) >= ($2, 0, '${none}')
        and (l.game, l.last, l.actor) < ($2 + 1, 0, '${none}')
      order by l.game desc, l.last desc, l.actor desc limit ${mostSeen}) l
    cross join lateral (
      select * from learner_level v
      where (v.game, v.actor, v.activity) >= ($1, l.actor, '${none}') and (v.game, v.actor) <= ($1, l.actor)
      order by v.game, v.actor, v.activity limit ${mostLevels}) v
    join tally_name n on n.game = $1 and n.key = v.activity
    cross join lateral (
      select coalesce((select p.uuid from tenant p where p.game = g.sandbox_of), g.uuid) as uuid
      from tenant g where g.game = $2 limit 1) g
    where not l.team and v.attempts >= ${manyTries} and v.completed = 0
      and n.type <> all ($3::text[]) and not (n.type = '' and n.contains) and n.iri not like '%/games/' || g.uuid
    order by l.last desc, v.attempts desc, v.activity limit ${mostHelped + 1}`,
}

const buildsOf = (rows: readonly (Build & { build: number })[]): Build[] =>
  rows.filter((one) => one.build > allBuilds).map((one) => ({ ...one, number: one.build, name: one.name ?? '' }))

/** Reads answers from the tallies. */
export function answerStore({ snapshot }: Pick<Database, 'snapshot'>) {
  return {
    /** All parts from one snapshot. */
    read: (game: number, { from, to, build, parts }: Asked): Promise<Answers> =>
      snapshot(async (run) => {
        const { counts, cut, ...counted } = await reachedBy(run, game)
        const own = keyWith(counts, build)
        const today = daysIn(counted.zone)(Date.now())
        const range = [own, from, to, build ?? null]
        const asked = build ?? allBuilds
        const seen = await run<Build & { build: number }>(people, [counts, from, to, asked, teamsOf(asked)])
        const values =
          cut === null
            ? []
            : await run<Build & { build: number }>(peopleOfValues, [cutKey(counts), from, to, teamsOf(asked)])
        const all = isCutValue(build) ? values : seen
        const peopleOf = (build: number) => all.find((one) => one.build === build)?.people ?? 0
        const cohort = await run<Cohort & Record<string, unknown>>(cohorts, range)
        const ask = async <Row extends object>(part: Part, query: typeof people, values: unknown[]) =>
          parts.has(part) ? await run<Row & Record<string, unknown>>(query, values) : []

        const periods = periodsOf(from, to)
        const spans = [
          own,
          periods.map(({ wholeMonth }) => wholeMonth),
          periods.map(({ from }) => from),
          periods.map(({ to }) => to),
          build ?? null,
        ]
        const found = await ask<LevelCounts>('levels', levels, spans)
        const wanted = found.slice(0, mostLevels).map(({ activity }) => activity)
        if (parts.has('sessions')) wanted.push(none)
        const spread = await distributions(run, spans, range, wanted)
        const leftRange = [own, from, Math.min(to, today - 7), build ?? null]
        const [gone] = await ask<{ people: number; beforeAny: number }>('leaving', left, leftRange)
        const after = await ask<{ after: number; learners: number }>('returns', returned, [...range, today])
        return {
          ...counted,
          today,
          builds: buildsOf(seen),
          cut,
          cutValues: buildsOf(values),
          people: peopleOf(asked),
          teams: peopleOf(teamsOf(asked)),
          newPeople: cohort.reduce((sum, { people }) => sum + people, 0),
          funnel: await ask<FunnelLevel>('funnel', funnel, range),
          levels: found.map((level) => ({ ...level, ...spread.of(level.activity) })),
          leaving: {
            levels: await ask<LeavingLevel>('leaving', leaving, leftRange),
            people: gone?.people ?? 0,
            beforeAny: gone?.beforeAny ?? 0,
          },
          sessions: { sessions: spread.attempts(none), times: spread.of(none).times },
          returns: { cohorts: cohort, after: new Map(after.map(({ after, learners }) => [after, learners])) },
          help: await ask<HelpNeeded>('help', help, [counts, game, [...gameTypes]]),
          rejections: {
            builds: await ask<{ build: number; count: number }>('rejections', rejectedBuilds, [game, from, to]),
            kinds: await ask<Rejection>('rejections', rejections, [
              game,
              from,
              to,
              // a refused request tells no value
              isCutValue(build) ? null : (build ?? null),
            ]),
          },
        }
      }),
  }
}
