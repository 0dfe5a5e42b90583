import { along, exactly, orderAlong } from '../../../../process/database/look.ts'
import { saveRows } from './save-rows.ts'

const learnerColumns = `f.ctid as place, f.actor, f.first_at::float8 as "firstAt", f.first_day as "firstDay",
  f.first_build as "firstBuild", f.last_at::float8 as "lastAt", f.last_day as "lastDay", f.last_build as "lastBuild",
  f.level, f.level_at::float8 as "levelAt", f.level_stored::float8 as "levelStored", f.completed`
const levelColumns = `f.ctid as place, f.attempts, f.completed, f.first_at::float8 as "firstAt",
  f.first_stored::float8 as "firstStored", f.first_day as "firstDay", f.first_build as "firstBuild",
  f.first_completed as "firstCompleted", f.first_success as "firstSuccess"`
const attemptColumns = `f.ctid as place, f.began::float8 as began, f.stored::float8 as stored, f.steps, f.day, f.build,
  f.millis, f.score, f.completed, f.success`

/** What is looked for, one row each, numbered from 1. */
const asked = (columns: readonly (readonly [name: string, type: string])[]) =>
  `unnest(${columns.map(([, type], n) => `$${n + 2}::${type}[]`)}) with ordinality
      k (${columns.map(([name]) => name)}, n)`
const one = (table: string, found: string, of: Record<string, string>) =>
  `select k.n::int as n, f.* from ${asked(Object.keys(of).map((column) => [column, 'uuid']))}
    cross join lateral (
      select ${found} from ${table} f where ${exactly('f', { game: '$1', ...of })} limit 1) f`
const ofActor = { actor: 'k.actor' }
export const learners = { name: 'facts_learners', text: one('learner_fact', learnerColumns, ofActor) }
export const levels = {
  name: 'facts_levels',
  text: one('learner_level', levelColumns, { ...ofActor, activity: 'k.activity' }),
}

/** Columns of an index up to some column, as a row, and the order of the whole index. */
const track = ['game', 'actor', 'activity', 'registration']
const rowOf = (columns: readonly string[]) => `(${columns.map((column) => `f.${column}`).join(', ')})`
const order = (columns: readonly string[], way: string) =>
  `order by ${columns.map((column) => `f.${column} ${way}`).join(', ')}`
const askedTrack = track.slice(1).map((column) => [column, 'uuid'] as const)
const attemptKey = [...track, 'began', 'stored']
const ofTrack = '$1, k.actor, k.activity, k.registration'
/** The last attempt of each track. */
export const last = {
  name: 'facts_attempts',
  text: `select k.n::int as n, f.* from ${asked(askedTrack)}
    cross join lateral (
      select ${attemptColumns} from attempt f where ${rowOf(track)} >= (${ofTrack}) and ${rowOf(track)} <= (${ofTrack})
      ${order(attemptKey, 'desc')} limit 1) f`,
}
/** Rows of a track that are read at once. */
export const window = 50
/** The attempt at or before a place of each track, and those that follow it. */
export const around = {
  name: 'facts_around',
  text: `select k.n::int as n, f.*
    from ${asked([...askedTrack, ['began', 'bigint'], ['stored', 'bigint']])}
    cross join lateral (
      (select ${attemptColumns} from attempt f
        where ${rowOf(track)} >= (${ofTrack}) and ${rowOf(attemptKey)} <= (${ofTrack}, k.began, k.stored)
        ${order(attemptKey, 'desc')} limit 1)
      union all (select ${attemptColumns} from attempt f
        where ${rowOf(attemptKey)} > (${ofTrack}, k.began, k.stored) and ${rowOf(track)} <= (${ofTrack})
        ${order(attemptKey, 'asc')} limit ${window})) f`,
}
const ofDays = { game: '$1', actor: 'k.actor', build: 'k.build' }
const until = { after: '-1', until: 'k.day', ascending: false }
const since = { after: 'k.day', until: '2147483647', ascending: true }
/** Days at or before a day, and after it. */
export const days = {
  name: 'facts_days',
  text: `select k.n::int as n, d.day
    from ${asked([
      ['actor', 'uuid'],
      ['build', 'int'],
      ['day', 'int'],
    ])}
    cross join lateral (
      (select f.day from active_day f where ${along('f', ofDays, 'day', until)} ${orderAlong('f', ofDays, 'day', until)}
        limit 1)
      union all (select f.day from active_day f where ${along('f', ofDays, 'day', since)}
        ${orderAlong('f', ofDays, 'day', since)} limit 1)) d`,
}

const first = { after: 'd.day - 1', until: 'd.day + 30', ascending: true }
const ofAnyBuild = { game: '$1', actor: 'm.actor', build: '-1' }
const ofPerson = { game: '$1', actor: 'm.actor' }
/** People whose first statement is an earlier one now: their levels and returns belong to another day. */
export const moveCohorts = {
  name: 'facts_move_cohorts',
  text: `with moved as (
      select m.actor, d.* from unnest($2::uuid[], $3::int[], $4::int[], $5::int[], $6::int[])
        m (actor, was_day, was_build, day, build)
      cross join lateral (values (m.was_day, m.was_build, -1), (m.day, m.build, 1)) d (day, build, by)),
    returns as (
      insert into return_tally as t (game, day, build, after, learners)
      select $1, d.day, d.build, a.day - d.day, sum(d.by) from moved d
      cross join lateral (select d.actor) m
      cross join lateral (
        select f.day from active_day f where ${along('f', ofAnyBuild, 'day', first)}
        ${orderAlong('f', ofAnyBuild, 'day', first)} limit 31) a
      group by 1, 2, 3, 4
      on conflict (game, day, build, after) do update set learners = t.learners + excluded.learners)
    insert into funnel_tally as t (game, day, build, activity, started, completed)
    select $1, d.day, d.build, l.activity, sum(d.by), coalesce(sum(d.by) filter (where l.completed > 0), 0)
    from moved d cross join lateral (select d.actor) m
    cross join lateral (
      select f.activity, f.completed from learner_level f where ${exactly('f', ofPerson)} offset 0) l
    group by 1, 2, 3, 4
    on conflict (game, day, build, activity) do update set
      started = t.started + excluded.started, completed = t.completed + excluded.completed`,
}

const [uuid, int, bigint, bool] = ['uuid', 'int', 'bigint', 'bool']
const person = { first_at: bigint, first_day: int, first_build: int, last_at: bigint, last_day: int, last_build: int }
const lastLevel = { level: uuid, level_at: bigint, level_stored: bigint, completed: bool }
const firstAttempt = { first_at: bigint, first_stored: bigint, first_day: int, first_build: int }
const firstTry = { ...firstAttempt, first_completed: bool, first_success: bool }
const ofAttempt = { actor: uuid, activity: uuid, registration: uuid, began: bigint, stored: bigint }
const outcome = { day: int, build: int, millis: int, score: 'float8', completed: bool, success: bool, steps: 'bytea' }
export const save = {
  name: 'facts_save',
  text: `with${[
    saveRows('learner_fact', { actor: uuid }, { ...person, ...lastLevel }, 2),
    saveRows('learner_level', { actor: uuid, activity: uuid }, { attempts: int, completed: int, ...firstTry }, 14),
    saveRows('attempt', ofAttempt, outcome, 25),
  ]}
    insert into active_day (game, actor, build, day)
    select $1, * from unnest($38::uuid[], $39::int[], $40::int[])`,
}
/** Attempts that are no more: steps of them are of others now. */
export const remove = {
  name: 'facts_remove',
  text: 'delete from attempt f using unnest($1::tid[]) k (place) where f.ctid = k.place',
}

/** Rows that are forgotten at once. */
export const atOnce = 5_000
const some = (table: string, found: string, key: readonly string[]) => ({
  name: `forget_${table}`,
  text: `delete from ${table} f where f.ctid = any (array(
      select g.ctid from unnest($2::uuid[]) k (actor)
      cross join lateral (
        select f.ctid from ${table} f where (f.game, f.actor) >= ($1, k.actor) and (f.game, f.actor) <= ($1, k.actor)
        ${order(key, 'asc')} limit ${atOnce}) g
      limit ${atOnce}))
    returning ${found}`,
})
export const forget = {
  levels: some('learner_level', `f.actor, f.activity, ${levelColumns}`, ['game', 'actor', 'activity']),
  days: some('active_day', 'f.actor, f.build, f.day', ['game', 'actor', 'build', 'day']),
  attempts: some('attempt', `f.activity, ${attemptColumns}`, attemptKey),
  learners: some('learner_fact', learnerColumns, ['game', 'actor']),
}
