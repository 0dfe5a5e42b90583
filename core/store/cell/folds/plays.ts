import {
  allBuilds,
  foldPlays,
  playsOff,
  type Known,
  type Person,
  type PersonChoice,
  type PlayCounts,
  type PlayTurn,
  type Thing,
  type ThingOption,
} from '../../../studio/played.ts'
import type { PersonDay } from '../../../studio/person-days.ts'
import { playOf } from '../../../studio/plays.ts'
import type { Turn } from '../../../studio/turn.ts'
import type { Key } from '../../../xapi/identify.ts'
import { along, exactly, orderAlong } from '../../look.ts'
import { columns } from './columns.ts'
import type { LearnerCounter, Run } from './counter.ts'

type Row<T> = T & Record<string, unknown>

const byNumber = { after: '0', until: '2147483647', ascending: true }
const things = {
  name: 'plays_things',
  text: `select t.number, t.activity from unnest($2::uuid[]) a (activity)
    cross join lateral (
      select * from play_thing t where ${exactly('t', { game: '$1', activity: 'a.activity' })} limit 1) t`,
}
const newest = { ...byNumber, ascending: false }
const lastThing = {
  name: 'plays_last_thing',
  text: `select number from play_thing t where ${along('t', { game: '$1' }, 'number', newest)}
    ${orderAlong('t', { game: '$1' }, 'number', newest)} limit 1`,
}
const options = {
  name: 'plays_options',
  text: `select o.thing, o.number, o.response, o.name, o.uses::float8 as uses from unnest($2::int[]) a (thing)
    cross join lateral (
      select * from play_option o where ${along('o', { game: '$1', thing: 'a.thing' }, 'number', byNumber)}
      ${orderAlong('o', { game: '$1', thing: 'a.thing' }, 'number', byNumber)} offset 0) o`,
}
const group = { game: '$1', actor: 'a.actor', thing: 'a.thing', kind: 'a.kind', build: 'a.build' }
const personColumns = 'p.actor, p.thing, p.kind, p.build, p.days, p.counts, p.latest, p.highest, p.choices'
const persons = {
  name: 'plays_persons',
  text: `select ${personColumns}
    from unnest($2::uuid[], $3::int[], $4::smallint[], $5::int[]) a (actor, thing, kind, build)
    cross join lateral (select * from play_person p where ${exactly('p', group)} limit 1) p`,
}
const thingsOfActor = { after: '0', until: '2147483647', ascending: true }
const ofActor = { game: '$1', actor: 'a.actor' }
const personsOf = {
  name: 'plays_persons_of',
  text: `select ${personColumns} from unnest($2::uuid[]) a (actor)
    cross join lateral (
      select * from play_person p where ${along('p', ofActor, 'thing', thingsOfActor)}
      ${orderAlong('p', ofActor, 'thing', thingsOfActor)} offset 0) p`,
}
const count = {
  name: 'plays_count',
  text: `with
    days as (
      insert into play_day as d (game, thing, kind, build, day, statements)
      select $1, * from unnest($2::int[], $3::smallint[], $4::int[], $5::int[], $6::bigint[])
      on conflict (game, kind, day, thing, build) do update set statements = d.statements + excluded.statements),
    choices as (
      insert into play_choice_day as c (game, thing, build, day, option, chosen, correct, wrong, unlocked)
      select $1, * from unnest(
        $7::int[], $8::int[], $9::int[], $10::int[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[])
      on conflict (game, thing, day, option, build) do update set chosen = c.chosen + excluded.chosen,
        correct = c.correct + excluded.correct, wrong = c.wrong + excluded.wrong,
        unlocked = c.unlocked + excluded.unlocked)
    insert into play_people as p (game, thing, kind, build, day, next, latest, highest, people)
    select $1, * from unnest($15::int[], $16::smallint[], $17::int[], $18::int[], $19::int[], $20::smallint[],
      $21::smallint[], $22::bigint[])
    on conflict (game, kind, thing, build, next, day, latest, highest) do update set people = p.people + excluded.people`,
}
const keep = {
  name: 'plays_keep',
  text: `with
    things as (
      insert into play_thing (game, number, activity)
      select $1, * from unnest($2::int[], $3::uuid[])),
    options as (
      insert into play_option as o (game, thing, number, response, name, uses)
      select $1, * from unnest($4::int[], $5::int[], $6::text[], $7::text[], $8::bigint[])
      on conflict (game, thing, number) do update set name = excluded.name, uses = o.uses + excluded.uses)
    insert into play_person (game, actor, thing, kind, build, last, days, counts, latest, highest, choices)
    select $1, actor, thing, kind, build, last, days::int[], counts::int[], latest::float8[], highest::float8[],
      choices::int[]
    from unnest($9::uuid[], $10::int[], $11::smallint[], $12::int[], $13::int[], $14::text[], $15::text[], $16::text[],
      $17::text[], $18::text[]) n (actor, thing, kind, build, last, days, counts, latest, highest, choices)
    on conflict (game, actor, thing, kind, build) do update set last = excluded.last, days = excluded.days,
      counts = excluded.counts, latest = excluded.latest, highest = excluded.highest, choices = excluded.choices`,
}
const forget = {
  name: 'plays_forget',
  text: `delete from play_person p using unnest($2::uuid[]) a (actor) where (p.game, p.actor) = ($1, a.actor)`,
}
const unuse = {
  name: 'plays_unuse',
  text: `update play_option o set uses = o.uses + a.uses from unnest($2::int[], $3::int[], $4::bigint[]) a
      (thing, number, uses)
    where (o.game, o.thing, o.number) = ($1, a.thing, a.number)`,
}
const removeUnused = {
  name: 'plays_remove_unused',
  text: `delete from play_option o using unnest($2::int[]) a (thing)
    where (o.game, o.thing) = ($1, a.thing) and o.uses <= 0`,
}

/** What players did with things of a game. */
export const learnerPlays: LearnerCounter = {
  add: (run, game, turns) => addPlays(run, game, turns.flatMap(playTurnOf)),
  forget: forgetPlays,
}

function playTurnOf({ stored, activity, actor, build, statement }: Turn): PlayTurn[] {
  const play = activity === null ? undefined : playOf(statement)
  return play ? [{ ...play, stored, activity: activity!, actor, build }] : []
}

async function addPlays(run: Run, game: number, turns: readonly PlayTurn[]): Promise<void> {
  if (turns.length === 0) return
  const { things, options, persons, ...counts } = foldPlays(await read(run, game, turns), turns)
  await run(count, [game, ...countsIn(counts)])
  const list = (of: (person: Person) => readonly unknown[]) => persons.map((person) => `{${of(person).join()}}`)
  const reached = (of: (day: PersonDay) => number) => list(({ days, kind }) => (kind === 1 ? days.map(of) : []))
  await run(keep, [
    game,
    ...columns(things, 'number', 'activity'),
    ...columns(options, 'thing', 'number', 'response', 'name', 'uses'),
    ...columns(persons, 'actor', 'thing', 'kind', 'build'),
    persons.map(({ days }) => days.at(-1)!.day),
    list(({ days }) => days.map(({ day }) => day)),
    list(({ days }) => days.map(({ count }) => count)),
    reached(({ latest }) => latest),
    reached(({ highest }) => highest),
    list(({ choices }) => choices.flatMap(numbersOf)),
  ])
}

async function forgetPlays(run: Run, game: number, actors: readonly Key[]): Promise<void> {
  const people = (await run<PersonRow>(personsOf, [game, actors])).map(personOf)
  if (people.length === 0) return
  const counts = playsOff(people)
  await run(count, [game, ...countsIn(counts)])
  await run(forget, [game, actors])
  const uses = new Map<string, { thing: number; number: number; uses: number }>()
  for (const { thing, option, chosen, unlocked } of counts.choices) {
    const known = uses.get(`${thing} ${option}`) ?? { thing, number: option, uses: 0 }
    uses.set(`${thing} ${option}`, { ...known, uses: known.uses + chosen + unlocked })
  }
  if (uses.size === 0) return
  await run(unuse, [game, ...columns([...uses.values()], 'thing', 'number', 'uses')])
  await run(removeUnused, [game, unique(counts.choices, ({ thing }) => thing)])
}

interface PersonRow extends Omit<Person, 'days' | 'choices'>, Record<string, unknown> {
  readonly days: number[]
  readonly counts: number[]
  readonly latest: number[]
  readonly highest: number[]
  readonly choices: number[]
}

/** All that the turns touch. */
async function read(run: Run, game: number, turns: readonly PlayTurn[]): Promise<Known> {
  const known = await run<Row<Thing>>(things, [game, unique(turns, ({ activity }) => activity)])
  const [last] = await run<{ number: number }>(lastThing, [game])
  const nextThing = (last?.number ?? 0) + 1
  const numbers = new Map(known.map(({ activity, number }) => [activity, number]))
  const of = turns.flatMap((turn) => {
    const thing = numbers.get(turn.activity)
    return thing === undefined ? [] : [{ ...turn, thing }]
  })
  if (of.length === 0) return { things: known, nextThing, options: [], people: [] }
  const choosing = unique(of, ({ choice, thing }) => (choice ? thing : undefined))
  const groups = distinct(
    of.flatMap(({ actor, thing, kind, build }) => [
      { actor, thing, kind, build },
      { actor, thing, kind, build: allBuilds },
    ]),
  )
  return {
    things: known,
    nextThing,
    options: choosing.length === 0 ? [] : await run<Row<ThingOption>>(options, [game, choosing]),
    people: (await run<PersonRow>(persons, [game, ...columns(groups, 'actor', 'thing', 'kind', 'build')])).map(
      personOf,
    ),
  }
}

function personOf({ days, counts, latest, highest, choices, ...group }: PersonRow): Person {
  return { ...group, days: daysOf({ days, counts, latest, highest }), choices: choicesOf(choices) }
}

/** The days of a row of `play_person`. */
export const daysOf = ({ days, counts, latest, highest }: Pick<PersonRow, 'days' | 'counts' | 'latest' | 'highest'>) =>
  days.map((day, n): PersonDay => ({ day, count: counts[n]!, latest: latest[n] ?? 0, highest: highest[n] ?? 0 }))

const numbersOf = ({ day, option, chosen, right, wrong, unlocked }: PersonChoice): number[] => [
  ...[day, option],
  ...[chosen, right, wrong, unlocked],
]

function choicesOf(numbers: readonly number[]): PersonChoice[] {
  return Array.from({ length: numbers.length / 6 }, (_, n) => {
    const [day, option, chosen, right, wrong, unlocked] = numbers.slice(n * 6, n * 6 + 6) as [
      ...[number, number],
      ...[number, number, number, number],
    ]
    return { day, option, chosen, right, wrong, unlocked }
  })
}

const countsIn = ({ days, choices, people }: PlayCounts): unknown[] => [
  ...columns(days, 'thing', 'kind', 'build', 'day', 'statements'),
  ...columns(choices, 'thing', 'build', 'day', 'option', 'chosen', 'right', 'wrong', 'unlocked'),
  ...columns(people, 'thing', 'kind', 'build', 'day', 'next', 'latest', 'highest', 'people'),
]

function unique<Item, Value>(items: readonly Item[], of: (item: Item) => Value | undefined): Value[] {
  return [...new Set(items.flatMap((item) => of(item) ?? []))] as Value[]
}

const distinct = <Row extends object>(rows: readonly Row[]): Row[] => [
  ...new Map(rows.map((row) => [Object.values(row).join(' '), row])).values(),
]
