import {
  addFacts,
  keys,
  none,
  type ActiveDay,
  type Attempt,
  type Changes,
  type Known,
  type LearnerFact,
  type LearnerLevel,
} from '../../../rules/facts/facts.ts'
import { allSumsOf, sumsOf } from '../../../rules/facts/sums.ts'
import type { Turn } from '../../../rules/turn.ts'
import type { Key } from '../../../../records/xapi/identify.ts'
import { along, everything, exactly, orderAlong } from '../../../../process/database/look.ts'
import { plainArray, plainColumns } from './columns.ts'
import type { LearnerCounter, Run } from './counter.ts'
import { addSums } from './learner-sums.ts'

const learnerColumns = `f.actor, f.first_day as "firstDay", f.first_build as "firstBuild", f.last_day as "lastDay",
  f.last_build as "lastBuild", f.level, f.completed`
const levelColumns = 'f.actor, f.activity, f.attempts, f.completed'
const dayColumns = 'f.actor, f.build, f.day, f.previous, f.previous_any as "previousAny", f.first'
const attemptColumns = `f.actor, f.activity, f.registration, f.began, f.day, f.build, f.marks,
  f.started_at as "startedAt", f.ended_at as "endedAt", f.millis, f.score, f.completed, f.success`

const gameOf = {
  name: 'facts_game',
  text: `select coalesce((select p.uuid from tenant p where p.game = g.sandbox_of), g.uuid) as id
    from tenant g where g.game = $1`,
}
/** Looks at the last row of each, along its index. */
const last = (table: string, found: string, of: Record<string, string>, order: string) => {
  const range = { ...everything, ascending: false }
  const row = { game: '$1', ...of }
  const arrays = Object.keys(of).map((name, n) => `$${n + 2}::${name === 'build' ? 'int' : 'uuid'}[]`)
  return `select f.* from unnest(${arrays})
      k (${Object.keys(of)})
    cross join lateral (select ${found} from ${table} f where ${along('f', row, order, { ...range, after: '-2' })}
      ${orderAlong('f', row, order, range)} limit 1) f`
}
const one = (table: string, found: string, of: Record<string, string>) =>
  `select f.* from unnest(${Object.keys(of).map((_, n) => `$${n + 2}::uuid[]`)}) k (${Object.keys(of)})
    cross join lateral (
      select ${found} from ${table} f where ${exactly('f', { game: '$1', ...of })} limit 1) f`
const ofActor = { actor: 'k.actor' }
const find = {
  learners: { name: 'facts_learners', text: one('learner_fact', learnerColumns, ofActor) },
  levels: { name: 'facts_levels', text: one('learner_level', levelColumns, { ...ofActor, activity: 'k.activity' }) },
  days: { name: 'facts_days', text: last('active_day', dayColumns, { ...ofActor, build: 'k.build' }, 'day') },
  attempts: {
    name: 'facts_attempts',
    text: last(
      'attempt',
      attemptColumns,
      { ...ofActor, activity: 'k.activity', registration: 'k.registration' },
      'began',
    ),
  },
}

const save = {
  name: 'facts_save',
  text: `with
    learners as (
      insert into learner_fact as f
        (game, actor, first_day, first_build, last_day, last_build, level, completed)
      select $1, * from unnest($2::uuid[], $3::int[], $4::int[], $5::int[], $6::int[], $7::uuid[], $8::bool[])
      on conflict (game, actor) do update set last_day = excluded.last_day, last_build = excluded.last_build,
        level = excluded.level, completed = excluded.completed),
    levels as (
      insert into learner_level as f (game, actor, activity, attempts, completed)
      select $1, * from unnest($9::uuid[], $10::uuid[], $11::int[], $12::int[])
      on conflict (game, actor, activity) do update set attempts = excluded.attempts, completed = excluded.completed),
    days as (
      insert into active_day (game, actor, build, day, previous, previous_any, first)
      select $1, * from unnest($13::uuid[], $14::int[], $15::int[], $16::int[], $17::int[], $18::bool[]))
    insert into attempt as f (game, actor, activity, registration, began, day, build, marks, started_at, ended_at,
      millis, score, completed, success)
    select $1, * from unnest($19::uuid[], $20::uuid[], $21::uuid[], $22::bigint[], $23::int[], $24::int[], $25::int[],
      $26::float8[], $27::float8[], $28::int[], $29::float8[], $30::bool[], $31::bool[])
    on conflict (game, actor, activity, registration, began) do update set marks = excluded.marks,
      started_at = excluded.started_at, ended_at = excluded.ended_at, millis = excluded.millis, score = excluded.score,
      completed = excluded.completed, success = excluded.success`,
}

/** Rows that are forgotten at once. */
const atOnce = 5_000
const some = (table: string, found: string) => ({
  name: `forget_${table}`,
  text: `delete from ${table} f where f.ctid = any (array(
      select g.ctid from unnest($2::uuid[]) k (actor)
      cross join lateral (
        select f.ctid from ${table} f where ${exactly('f', { game: '$1', ...ofActor })} limit ${atOnce}) g
      limit ${atOnce}))
    returning ${found}`,
})
const forget = {
  levels: some('learner_level', levelColumns),
  days: some('active_day', dayColumns),
  attempts: some('attempt', attemptColumns),
  learners: some('learner_fact', learnerColumns),
}

type AttemptRow = Omit<Attempt, 'began'> & { readonly began: string }
const attemptOf = ({ began, ...attempt }: AttemptRow): Attempt => ({ began: Number(began), ...attempt })

/** Facts of each learner: days, levels, attempts, sessions; and their sums. */
export const learnerFacts: LearnerCounter = {
  async add(run, game, turns) {
    const [{ id } = { id: '' }] = await run<{ id: string }>(gameOf, [game])
    const known = await knownOf(run, game, turns)
    const changes = addFacts(known, turns, id)
    await run(save, [game, ...savedOf(changes)])
    await addSums(run, game, sumsOf(changes, known.learners))
  },

  async forget(run, game, actors) {
    const values = [game, actors]
    const learners = await run<LearnerFact & Record<string, unknown>>(find.learners, values)
    const of = new Map(learners.map((learner) => [learner.actor, learner]))
    const gone = { learners: [], levels: [], days: [], attempts: [] }
    for (;;) {
      const levels = await run<LearnerLevel & Record<string, unknown>>(forget.levels, values)
      const days = await run<ActiveDay & Record<string, unknown>>(forget.days, values)
      const attempts = await run<AttemptRow & Record<string, unknown>>(forget.attempts, values)
      await addSums(run, game, allSumsOf({ ...gone, levels, days, attempts: attempts.map(attemptOf) }, of))
      if (Math.max(levels.length, days.length, attempts.length) < atOnce) break
    }
    const last = await run<LearnerFact & Record<string, unknown>>(forget.learners, values)
    await addSums(run, game, allSumsOf({ ...gone, learners: last }, of))
  },
}

async function knownOf(run: Run, game: number, turns: readonly Turn[]): Promise<Known> {
  const actors = new Set<Key>()
  const days = new Map<string, [Key, number]>()
  const levels = new Map<string, [Key, Key]>()
  const attempts = new Map<string, [Key, Key, string]>()
  for (const { actor, build, activity, registration } of turns) {
    actors.add(actor)
    days.set(keys.day(actor, build), [actor, build])
    if (registration !== null) attempts.set(keys.attempt(actor, none, registration), [actor, none, registration])
    if (activity === null) continue
    levels.set(keys.level(actor, activity), [actor, activity])
    const of = registration ?? none
    attempts.set(keys.attempt(actor, activity, of), [actor, activity, of])
  }
  const column = (of: Map<string, readonly unknown[]>, n: number) =>
    plainArray(Array.from(of.values(), (values) => values[n]))
  const found = {
    learners: await run<LearnerFact & Record<string, unknown>>(find.learners, [game, plainArray([...actors])]),
    levels: await run<LearnerLevel & Record<string, unknown>>(find.levels, [
      game,
      column(levels, 0),
      column(levels, 1),
    ]),
    days: await run<ActiveDay & Record<string, unknown>>(find.days, [game, column(days, 0), column(days, 1)]),
    attempts: await run<AttemptRow & Record<string, unknown>>(find.attempts, [
      game,
      column(attempts, 0),
      column(attempts, 1),
      column(attempts, 2),
    ]),
  }
  return {
    learners: new Map(found.learners.map((row) => [row.actor, row])),
    levels: new Map(found.levels.map((row) => [keys.level(row.actor, row.activity), row])),
    days: new Map(found.days.map((row) => [keys.day(row.actor, row.build), row])),
    attempts: new Map(
      found.attempts.map((row) => [keys.attempt(row.actor, row.activity, row.registration), attemptOf(row)]),
    ),
  }
}

function savedOf(changes: Changes): unknown[] {
  const [learners, levels, days, attempts] = [
    [...changes.learners.keys()],
    [...changes.levels.keys()],
    [...changes.days.keys()],
    [...changes.attempts.keys()],
  ]
  return [
    ...plainColumns(learners, 'actor', 'firstDay', 'firstBuild', 'lastDay', 'lastBuild', 'level', 'completed'),
    ...plainColumns(levels, 'actor', 'activity', 'attempts', 'completed'),
    ...plainColumns(days, 'actor', 'build', 'day', 'previous', 'previousAny', 'first'),
    ...plainColumns(attempts, 'actor', 'activity', 'registration', 'began', 'day', 'build', 'marks'),
    ...plainColumns(attempts, 'startedAt', 'endedAt', 'millis', 'score', 'completed', 'success'),
  ]
}
