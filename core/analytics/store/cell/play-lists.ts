import { never } from '../../rules/person-days.ts'
import { allBuilds } from '../../rules/turn.ts'
import { kinds } from '../../rules/plays.ts'
import { plainKey } from './folds/cuts.ts'
import { along, everything, exactly, orderAlong } from '../../../process/database/look.ts'

/** Things of a list. */
export const mostListed = 50

/** SQL: periods of a range, as whole months and the days before and after them. */
const periods = (at: number) =>
  `unnest($${at}::bool[], $${at + 1}::int[], $${at + 2}::int[]) p (whole_month, first, last)`
const ofPeriod = { after: 'p.first - 1', until: 'p.last', ascending: true }
const ofKind = { game: '$1', kind: 'k.kind', whole_month: 'p.whole_month' }
export const most = {
  name: 'plays_most',
  text: `select thing, array_agg(statements order by kind)::float8[] as statements,
      array_agg(kind order by kind) as kinds
    from (
      select d.thing, k.kind, sum(d.statements) as statements,
        sum(sum(d.statements)) over (partition by d.thing) as total
      from unnest($2::smallint[]) k (kind) cross join ${periods(3)}
      cross join lateral (
        select d.thing, d.statements from play_day d
        where ${along('d', ofKind, 'day', ofPeriod)} and ($6 = ${allBuilds} or d.build = $6)
        ${orderAlong('d', ofKind, 'day', ofPeriod)} offset 0) d
      group by d.thing, k.kind) n
    where total > 0 group by thing, total order by total desc, thing limit ${mostListed + 1}`,
}
export const named = {
  name: 'plays_named',
  text: `select t.number as thing, coalesce(n.type, '') as type, coalesce(n.iri, '') as iri,
      coalesce(n.name, '') as name
    from unnest($2::int[]) a (thing)
    cross join lateral (
      select * from play_thing t where ${exactly('t', { game: '$1', number: 'a.thing' })} limit 1) t
    left join lateral (
      select * from tally_name n where ${exactly('n', { game: plainKey('$1'), key: 't.activity' })} limit 1) n on true`,
}
const newestFirst = { ...everything, ascending: false }
const group = {
  game: '$1',
  kind: 'k.kind',
  thing: 'a.thing',
  build: '$7',
  whole_month: 'd.whole_month',
  day: 'd.day',
}
const later = { after: '$5', until: String(never), ascending: true }
export const people = {
  name: 'plays_people_of',
  text: `select a.thing, k.kind, p.latest, p.highest, sum(p.people)::float8 as people
    from unnest($6::int[]) a (thing) cross join unnest($2::smallint[]) k (kind)
    cross join unnest($3::bool[], $4::int[]) d (whole_month, day)
    cross join lateral (
      select p.latest, p.highest, p.people from play_people p
      where ${along('p', group, 'next', later)}
      ${orderAlong('p', group, 'next', later)} offset 0) p
    group by 1, 2, 3, 4`,
}
const ofThing = { game: '$1', thing: 'a.thing', whole_month: 'p.whole_month' }
export const choices = {
  name: 'plays_choices',
  text: `select c.*, coalesce(o.response, '') as response, coalesce(o.name, '') as name
    from (
      select a.thing, c.option, sum(c.chosen)::float8 as chosen, sum(c.correct)::float8 as right,
        sum(c.wrong)::float8 as wrong, sum(c.unlocked)::float8 as unlocked
      from unnest($5::int[]) a (thing) cross join ${periods(2)}
      cross join lateral (
        select * from play_choice_day c
        where ${along('c', ofThing, 'day', ofPeriod)} and ($6 = ${allBuilds} or c.build = $6)
        ${orderAlong('c', ofThing, 'day', ofPeriod)} offset 0) c
      group by a.thing, c.option) c
    left join lateral (
      select * from play_option o
      where ${exactly('o', { game: '$1', thing: 'c.thing', number: 'c.option' })} limit 1) o on true
    where c.chosen > 0 or c.unlocked > 0
    order by c.thing, c.chosen desc, c.unlocked desc, c.option`,
}
/** Bytes of a statement that is read for the name of a player. */
const longestBody = 32 * 1024
export const thingOf = {
  name: 'plays_thing_of',
  text: `select t.number as thing from play_thing t where ${exactly('t', { game: '$1', activity: '$2' })} limit 1`,
}
// the key of counts is the number of the game, or the negative one
const ofPlayer = { game: `abs(${plainKey('$1')})`, actor: 'p.actor' }
export const players = {
  name: 'plays_players',
  // a page of long statements would fill the memory
  text: `select p.actor, p.last, p.days, p.builds, p.counts, p.latest, p.highest, p.times::float8[] as times,
      case when octet_length(s.body) <= ${longestBody} then s.body end as body
    from (
      select * from play_person p
      where p.kind = ${kinds.progressed} and (p.game, p.thing, p.last, p.actor) < ($1, $3, $4, $5)
        and (p.game, p.thing, p.last) >= ($1, $3, $6)
        and exists (
          select from unnest(p.days, p.builds) d (day, build)
          where d.day between $6 and $7 and ($2 = ${allBuilds} and d.build > ${allBuilds} or d.build = $2))
      order by p.game desc, p.thing desc, p.last desc, p.actor desc limit $8) p
    left join lateral (
      select s.body from statement s where ${along('s', ofPlayer, 'stored', newestFirst)}
      ${orderAlong('s', ofPlayer, 'stored', newestFirst)} limit 1) s on true
    order by p.last desc, p.actor desc`,
}
