import { foldPlays, playsOff } from '../../../rules/played.ts'
import type {
  Known,
  Person,
  PersonChoice,
  PlayChanges,
  PlayCounts,
  PlayTurn,
  Thing,
  ThingOption,
} from '../../../rules/play-rows.ts'
import type { PersonDay } from '../../../rules/person-days.ts'
import { kinds } from '../../../rules/plays.ts'
import type { Turn } from '../../../rules/turn.ts'
import type { Key } from '../../../../records/xapi/identify.ts'
import { columns, placeColumn, plainArray, plainColumns } from './columns.ts'
import type { LearnerCounter, Run } from './counter.ts'
import * as queries from './play-queries.ts'

type Row<T> = T & Record<string, unknown>

/** What players did with things of a game. */
export const learnerPlays: LearnerCounter = {
  add: (run, game, turns) => addPlays(run, game, turns.flatMap(playTurnOf)),
  forget: forgetPlays,
}

function playTurnOf({ at, day, team, activity, actor, build, play }: Turn): PlayTurn[] {
  return play ? [{ ...play, at, day, team, activity: activity!, actor, build }] : []
}

async function addPlays(run: Run, game: number, turns: readonly PlayTurn[]): Promise<void> {
  if (turns.length === 0) return
  const { things, options, persons, ...counts } = foldPlays(await read(run, game, turns), turns)
  await countPlays(run, game, counts)
  await keepPlays(run, game, { things, options, persons })
}

/** Adds counts. */
export const countPlays = async (run: Run, game: number, { days, choices, people }: PlayCounts): Promise<void> =>
  void (await run(queries.count, [
    game,
    ...plainColumns(days, 'thing', 'kind', 'build', 'wholeMonth', 'day', 'statements'),
    ...plainColumns(choices, 'thing', 'build', 'wholeMonth', 'day', 'option', 'chosen', 'right', 'wrong', 'unlocked'),
    ...plainColumns(people, 'thing', 'kind', 'build', 'wholeMonth', 'day', 'next', 'latest', 'highest', 'people'),
  ]))

/** Keeps rows as they are now. */
export async function keepPlays(
  run: Run,
  game: number,
  { things, options, persons }: Pick<PlayChanges, 'things' | 'options' | 'persons'>,
): Promise<void> {
  const list = (of: (person: Person) => readonly unknown[]) =>
    plainArray(persons.map((person) => `"{${of(person).join()}}"`))
  const reached = (of: (day: PersonDay) => number) =>
    list(({ days, kind }) => (kind === kinds.progressed ? days.map(of) : []))
  await run(queries.keep, [
    game,
    ...plainColumns(things, 'number', 'activity'),
    ...columns(options, 'thing', 'number', 'response', 'name', 'uses'),
    placeColumn(persons),
    ...plainColumns(persons, 'actor', 'thing', 'kind'),
    plainArray(persons.map(({ days }) => days.at(-1)!.day)),
    list(({ days }) => days.map(({ day }) => day)),
    list(({ days }) => days.map(({ build }) => build)),
    list(({ days }) => days.map(({ count }) => count)),
    reached(({ latest }) => latest),
    reached(({ highest }) => highest),
    list(({ days }) => days.map(({ at }) => at)),
    list(({ choices }) => choices.flatMap(numbersOf)),
  ])
}

async function forgetPlays(run: Run, game: number, actors: readonly Key[]): Promise<void> {
  const people = (await run<PersonRow>(queries.personsOf, [game, actors])).map(personOf)
  if (people.length === 0) return
  const counts = playsOff(people)
  await countPlays(run, game, counts)
  await run(queries.forget, [game, actors])
  const uses = new Map<string, { thing: number; number: number; uses: number }>()
  for (const { thing, option, wholeMonth, chosen, unlocked } of counts.choices) {
    if (wholeMonth) continue
    const known = uses.get(`${thing} ${option}`) ?? { thing, number: option, uses: 0 }
    uses.set(`${thing} ${option}`, { ...known, uses: known.uses + chosen + unlocked })
  }
  if (uses.size === 0) return
  await run(queries.unuse, [game, ...columns([...uses.values()], 'thing', 'number', 'uses')])
  await run(queries.removeUnused, [game, unique(counts.choices, ({ thing }) => thing)])
}

/** Columns of `play_person`: an entry of each is a day. */
export interface DayColumns {
  readonly days: number[]
  readonly builds: number[]
  readonly counts: number[]
  readonly latest: number[]
  readonly highest: number[]
  readonly times: number[]
}

interface PersonRow extends Omit<Person, 'days' | 'choices'>, DayColumns, Record<string, unknown> {
  readonly choices: number[]
}

/** All that the turns touch. */
async function read(run: Run, game: number, turns: readonly PlayTurn[]): Promise<Known> {
  const activities = unique(turns, ({ activity }) => activity)
  const known = await run<Row<Thing>>(queries.things, [game, activities])
  const [last] = known.length < activities.length ? await run<{ number: number }>(queries.lastThing, [game]) : []
  const nextThing = (last?.number ?? 0) + 1
  const numbers = new Map(known.map(({ activity, number }) => [activity, number]))
  const of = turns.flatMap((turn) => {
    const thing = numbers.get(turn.activity)
    return thing === undefined ? [] : [{ ...turn, thing }]
  })
  if (of.length === 0) return { things: known, nextThing, options: [], people: [] }
  const choosing = unique(of, ({ choice, thing }) => (choice ? thing : undefined))
  const groups = distinct(of.map(({ actor, thing, kind }) => ({ actor, thing, kind })))
  return {
    things: known,
    nextThing,
    options: choosing.length === 0 ? [] : await run<Row<ThingOption>>(queries.options, [game, choosing]),
    people: (await run<PersonRow>(queries.persons, [game, ...plainColumns(groups, 'actor', 'thing', 'kind')])).map(
      personOf,
    ),
  }
}

function personOf({ place, actor, thing, kind, choices, ...row }: PersonRow): Person {
  return { place, actor, thing, kind, days: daysOf(row), choices: choicesOf(choices) }
}

export const daysOf = ({ days, builds, counts, latest, highest, times }: DayColumns): PersonDay[] =>
  days.map((day, n) => ({
    day,
    build: builds[n]!,
    count: counts[n]!,
    at: times[n] ?? 0,
    latest: latest[n] ?? 0,
    highest: highest[n] ?? 0,
  }))

const choiceColumns = ['day', 'build', 'option', 'chosen', 'right', 'wrong', 'unlocked'] as const
const numbersOf = (choice: PersonChoice): number[] => choiceColumns.map((name) => choice[name])

function choicesOf(numbers: readonly number[]): PersonChoice[] {
  const width = choiceColumns.length
  return Array.from({ length: numbers.length / width }, (_, n) => {
    const entries = choiceColumns.map((name, column) => [name, numbers[n * width + column]!] as const)
    return Object.fromEntries(entries) as unknown as PersonChoice
  })
}

function unique<Item, Value>(items: readonly Item[], of: (item: Item) => Value | undefined): Value[] {
  return [...new Set(items.flatMap((item) => of(item) ?? []))] as Value[]
}

const distinct = <Row extends object>(rows: readonly Row[]): Row[] => [
  ...new Map(rows.map((row) => [Object.values(row).join(' '), row])).values(),
]
