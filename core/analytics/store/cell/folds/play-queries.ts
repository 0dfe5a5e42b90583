import { along, exactly, orderAlong } from '../../../../process/database/look.ts'
import { saveRows } from './save-rows.ts'

const byNumber = { after: '0', until: '2147483647', ascending: true }
export const things = {
  name: 'plays_things',
  text: `select t.number, t.activity from unnest($2::uuid[]) a (activity)
    cross join lateral (
      select * from play_thing t where ${exactly('t', { game: '$1', activity: 'a.activity' })} limit 1) t`,
}
const newest = { ...byNumber, ascending: false }
export const lastThing = {
  name: 'plays_last_thing',
  text: `select number from play_thing t where ${along('t', { game: '$1' }, 'number', newest)}
    ${orderAlong('t', { game: '$1' }, 'number', newest)} limit 1`,
}
export const options = {
  name: 'plays_options',
  text: `select o.thing, o.number, o.response, o.name, o.uses::float8 as uses from unnest($2::int[]) a (thing)
    cross join lateral (
      select * from play_option o where ${along('o', { game: '$1', thing: 'a.thing' }, 'number', byNumber)}
      ${orderAlong('o', { game: '$1', thing: 'a.thing' }, 'number', byNumber)} offset 0) o`,
}
const group = { game: '$1', actor: 'a.actor', thing: 'a.thing', kind: 'a.kind' }
const personColumns =
  'p.place, p.actor, p.thing, p.kind, p.days, p.builds, p.counts, p.latest, p.highest, p.times::float8[] as times, p.choices'
export const persons = {
  name: 'plays_persons',
  text: `select ${personColumns}
    from unnest($2::uuid[], $3::int[], $4::smallint[]) a (actor, thing, kind)
    cross join lateral (select p.ctid as place, p.* from play_person p where ${exactly('p', group)} limit 1) p`,
}
const thingsOfActor = { after: '0', until: '2147483647', ascending: true }
const ofActor = { game: '$1', actor: 'a.actor' }
export const personsOf = {
  name: 'plays_persons_of',
  text: `select ${personColumns} from unnest($2::uuid[]) a (actor)
    cross join lateral (
      select p.ctid as place, p.* from play_person p where ${along('p', ofActor, 'thing', thingsOfActor)}
      ${orderAlong('p', ofActor, 'thing', thingsOfActor)} offset 0) p`,
}
export const count = {
  name: 'plays_count',
  text: `with
    days as (
      insert into play_day as d (game, thing, kind, build, whole_month, day, statements)
      select $1, * from unnest($2::int[], $3::smallint[], $4::int[], $5::bool[], $6::int[], $7::bigint[])
      on conflict (game, kind, whole_month, day, thing, build) do update set statements = d.statements + excluded.statements),
    choices as (
      insert into play_choice_day as c
        (game, thing, build, whole_month, day, option, chosen, correct, wrong, unlocked)
      select $1, * from unnest($8::int[], $9::int[], $10::bool[], $11::int[], $12::int[], $13::bigint[], $14::bigint[],
        $15::bigint[], $16::bigint[])
      on conflict (game, thing, whole_month, day, option, build) do update set chosen = c.chosen + excluded.chosen,
        correct = c.correct + excluded.correct, wrong = c.wrong + excluded.wrong,
        unlocked = c.unlocked + excluded.unlocked)
    insert into play_people as p (game, thing, kind, build, whole_month, day, next, latest, highest, people)
    select $1, * from unnest($17::int[], $18::smallint[], $19::int[], $20::bool[], $21::int[], $22::int[],
      $23::smallint[], $24::smallint[], $25::bigint[])
    on conflict (game, kind, thing, build, whole_month, day, next, latest, highest)
    do update set people = p.people + excluded.people`,
}
const person = { actor: 'uuid', thing: 'int', kind: 'smallint' }
const days = { last: 'int', days: 'int[]', builds: 'int[]', counts: 'int[]' }
const reached = { latest: 'float8[]', highest: 'float8[]', times: 'bigint[]', choices: 'int[]' }
export const keep = {
  name: 'plays_keep',
  text: `with
    things as (
      insert into play_thing (game, number, activity)
      select $1, * from unnest($2::int[], $3::uuid[])),
    options as (
      insert into play_option as o (game, thing, number, response, name, uses)
      select $1, * from unnest($4::int[], $5::int[], $6::text[], $7::text[], $8::bigint[])
      on conflict (game, thing, number) do update set name = excluded.name, uses = o.uses + excluded.uses),
    ${saveRows('play_person', person, { ...days, ...reached }, 9)}
    select`,
}
export const forget = {
  name: 'plays_forget',
  text: `delete from play_person p using unnest($2::uuid[]) a (actor) where (p.game, p.actor) = ($1, a.actor)`,
}
export const unuse = {
  name: 'plays_unuse',
  text: `update play_option o set uses = o.uses + a.uses from unnest($2::int[], $3::int[], $4::bigint[]) a
      (thing, number, uses)
    where (o.game, o.thing, o.number) = ($1, a.thing, a.number)`,
}
export const removeUnused = {
  name: 'plays_remove_unused',
  text: `delete from play_option o using unnest($2::int[]) a (thing)
    where (o.game, o.thing) = ($1, a.thing) and o.uses <= 0`,
}
