import { never, reachedIn } from '../../studio/person-days.ts'
import { allBuilds } from '../../studio/played.ts'
import { kinds, type Kind } from '../../studio/plays.ts'
import type { Key } from '../../xapi/identify.ts'
import { parse } from '../../xapi/parse.ts'
import type { Database } from '../database.ts'
import { along, everything, exactly, orderAlong } from '../look.ts'
import { daysOf } from './folds/plays.ts'
import { behind } from './insights.ts'

/** Days since 1970 in UTC, both included, and the number of a build; undefined: all builds. */
export interface PlayRange {
  readonly from: number
  readonly to: number
  readonly build?: number
}

export interface PlayedThing {
  readonly thing: number
  readonly iri: string
  readonly name: string
  /** IRI; empty: no statement gave one. */
  readonly type: string
}

/** Something that players did something with: statements and people of each kind that was asked for, in its order. */
export interface ThingCounts extends PlayedThing {
  readonly statements: readonly number[]
  readonly people: readonly number[]
  /** People by bins of their latest and highest progress. */
  readonly reached: readonly Reached[]
}

export interface Reached {
  readonly latest: number
  readonly highest: number
  readonly people: number
}

export interface OptionCounts {
  readonly thing: number
  /** As in `play_choice_day`. */
  readonly option: number
  readonly response: string
  readonly name: string
  readonly chosen: number
  readonly right: number
  readonly wrong: number
  readonly unlocked: number
}

export interface PlayerReached {
  readonly actor: Key
  /** JSON of the actor's last statement; undefined: none is left. */
  readonly body?: string
  readonly last: number
  readonly day: number
  readonly latest: number
  readonly highest: number
  readonly count: number
}

/** Where a page of players begins: after this one. */
export interface AfterPlayer {
  readonly last: number
  readonly actor: Key
}

/** What is listed, and how many statements are not counted yet. */
export interface PlaysListed {
  readonly things: readonly ThingCounts[]
  /** Of alternatives only. */
  readonly options: readonly OptionCounts[]
  /** There are more things. */
  readonly more: boolean
  readonly behind: number
}

export interface PlayersListed {
  /** Undefined: nobody made any progress in it, ever. */
  readonly thing?: PlayedThing
  readonly players: readonly PlayerReached[]
  readonly behind: number
}

export const mostListed = 50

const days = { after: '$3 - 1', until: '$4', ascending: true }
const ofKind = { game: '$1', kind: 'k.kind' }
const most = {
  name: 'plays_most',
  text: `select thing, array_agg(statements order by kind)::float8[] as statements, array_agg(kind order by kind) as kinds
    from (
      select d.thing, k.kind, sum(d.statements) as statements, sum(sum(d.statements)) over (partition by d.thing) as total
      from unnest($2::smallint[]) k (kind)
      cross join lateral (
        select d.thing, d.statements from play_day d
        where ${along('d', ofKind, 'day', days)} and ($5 = ${allBuilds} or d.build = $5)
        ${orderAlong('d', ofKind, 'day', days)} offset 0) d
      group by d.thing, k.kind) n
    where total > 0 group by thing, total order by total desc, thing limit ${mostListed + 1}`,
}
const named = {
  name: 'plays_named',
  text: `select t.number as thing, coalesce(n.type, '') as type, coalesce(n.iri, '') as iri, coalesce(n.name, '') as name
    from unnest($2::int[]) a (thing)
    cross join lateral (
      select * from play_thing t where ${exactly('t', { game: '$1', number: 'a.thing' })} limit 1) t
    left join lateral (
      select * from tally_name n where ${exactly('n', { game: '$1', key: 't.activity' })} limit 1) n on true`,
}
const group = { game: '$1', kind: 'k.kind', thing: 'a.thing', build: '$6' }
const later = { after: '$4', until: String(never), ascending: true }
const people = {
  name: 'plays_people_of',
  text: `select a.thing, k.kind, p.latest, p.highest, sum(p.people)::float8 as people
    from unnest($5::int[]) a (thing) cross join unnest($2::smallint[]) k (kind)
    cross join lateral (
      select p.latest, p.highest, p.people from play_people p
      where ${along('p', group, 'next', later)} and p.day between $3 and $4
      ${orderAlong('p', group, 'next', later)} offset 0) p
    group by 1, 2, 3, 4`,
}
const ofThing = { game: '$1', thing: 'a.thing' }
const daysOfThing = { after: '$2 - 1', until: '$3', ascending: true }
const choices = {
  name: 'plays_choices',
  text: `select c.*, coalesce(o.response, '') as response, coalesce(o.name, '') as name
    from (
      select a.thing, c.option, sum(c.chosen)::float8 as chosen, sum(c.correct)::float8 as right,
        sum(c.wrong)::float8 as wrong, sum(c.unlocked)::float8 as unlocked
      from unnest($4::int[]) a (thing)
      cross join lateral (
        select * from play_choice_day c
        where ${along('c', ofThing, 'day', daysOfThing)} and ($5 = ${allBuilds} or c.build = $5)
        ${orderAlong('c', ofThing, 'day', daysOfThing)} offset 0) c
      group by a.thing, c.option) c
    left join lateral (
      select * from play_option o
      where ${exactly('o', { game: '$1', thing: 'c.thing', number: 'c.option' })} limit 1) o on true
    where c.chosen > 0 or c.unlocked > 0
    order by c.thing, c.chosen desc, c.unlocked desc, c.option`,
}
const thingOf = {
  name: 'plays_thing_of',
  text: `select t.number as thing from play_thing t where ${exactly('t', { game: '$1', activity: '$2' })} limit 1`,
}
const players = {
  name: 'plays_players',
  text: `select p.actor, p.last, p.days, p.counts, p.latest, p.highest, s.body
    from (
      select * from play_person p
      where p.kind = ${kinds.progressed} and (p.game, p.build, p.thing, p.last, p.actor) < ($1, $2, $3, $4, $5)
        and (p.game, p.build, p.thing, p.last) >= ($1, $2, $3, $6)
        and exists (select from unnest(p.days) d (day) where d.day between $6 and $7)
      order by p.game desc, p.build desc, p.thing desc, p.last desc, p.actor desc limit $8) p
    left join lateral (
      select s.body from statement s where ${along('s', { game: '$1', actor: 'p.actor' }, 'stored', everythingDown())}
      ${orderAlong('s', { game: '$1', actor: 'p.actor' }, 'stored', everythingDown())} limit 1) s on true
    order by p.last desc, p.actor desc`,
}
function everythingDown() {
  return { ...everything, ascending: false }
}

type Row<T> = T & Record<string, unknown>

/** Reads what players did with things of a game. */
export function playStore({ transaction }: Pick<Database, 'transaction'>) {
  return {
    /** Those with the most statements of these kinds, on one connection. */
    list: (game: number, { from, to, build = allBuilds }: PlayRange, asked: readonly Kind[]): Promise<PlaysListed> =>
      transaction(async (run) => {
        const rest = (await run<{ behind: number }>(behind, [game]))[0]!
        const found = await run<{ thing: number; statements: number[]; kinds: Kind[] }>(most, [
          game,
          asked,
          from,
          to,
          build,
        ])
        const listed = found.slice(0, mostListed)
        const numbers = listed.map(({ thing }) => thing)
        if (numbers.length === 0) return { things: [], options: [], more: false, ...rest }
        const names = await run<Row<PlayedThing>>(named, [game, numbers])
        const reached = await run<Row<Reached & { thing: number; kind: Kind }>>(people, [
          game,
          asked,
          from,
          to,
          numbers,
          build,
        ])
        const options = asked.includes(kinds.chosen)
          ? await run<Row<OptionCounts>>(choices, [game, from, to, numbers, build])
          : []
        const things = listed.map(({ thing, statements, kinds: told }) => {
          const own = reached.filter((one) => one.thing === thing)
          return {
            ...names.find((one) => one.thing === thing)!,
            statements: asked.map((kind) => statements[told.indexOf(kind)] ?? 0),
            people: asked.map((kind) => sumOf(own.filter((one) => one.kind === kind))),
            reached: own,
          }
        })
        return { things, options, more: found.length > mostListed, ...rest }
      }),

    /** Players by the progress that they made in an activity. */
    players: (
      game: number,
      { from, to, build = allBuilds }: PlayRange,
      activity: Key,
      after: AfterPlayer,
      limit: number,
    ): Promise<PlayersListed> =>
      transaction(async (run) => {
        const rest = (await run<{ behind: number }>(behind, [game]))[0]!
        const [known] = await run<{ thing: number }>(thingOf, [game, activity])
        if (!known) return { players: [], ...rest }
        const [thing] = await run<Row<PlayedThing>>(named, [game, [known.thing]])
        type PlayerRow = Row<Parameters<typeof daysOf>[0] & { actor: Key; last: number; body: string | null }>
        const values = [game, build, known.thing, after.last, after.actor, from, to, limit]
        const rows = await run<PlayerRow>(players, values)
        return {
          thing,
          ...rest,
          players: rows.map(({ actor, last, body, ...row }) => ({
            actor,
            last,
            body: body ?? undefined,
            ...reachedIn(daysOf(row), from, to)!,
          })),
        }
      }),
  }
}

export type PlayStore = ReturnType<typeof playStore>

const sumOf = (rows: readonly Reached[]): number => rows.reduce((sum, { people }) => sum + people, 0)

/** JSON of the actor of a statement, and what people call it. */
export function actorIn(body: string | undefined): { agent: string; name: string } {
  if (body === undefined) return { agent: '', name: '' }
  const { actor } = parse(body) as { actor: { name?: string } }
  return { agent: JSON.stringify(actor), name: actor.name ?? '' }
}
