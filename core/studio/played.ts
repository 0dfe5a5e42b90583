import type { Choice, Kind, Play } from './plays.ts'
import { kinds } from './plays.ts'
import { dayIn, spansOf, type PersonDay, type Span } from './person-days.ts'

/** A play of a statement that is not voided. */
export interface PlayTurn extends Play {
  /** Microseconds. */
  readonly stored: number
  /** Keys. */
  readonly activity: string
  readonly actor: string
  /** Number of the build; 0: not known. */
  readonly build: number
}

/** Something of the game that players do something with. */
export interface Thing {
  readonly number: number
  readonly activity: string
}

export interface ThingOption {
  readonly thing: number
  readonly number: number
  readonly response: string
  name: string
  /** How often it was chosen or unlocked: in what is known, in all; in changes, what is added. */
  uses: number
}

/** A group: what one person did, of one kind, with one thing, in one build or in all. */
export interface Person {
  readonly thing: number
  readonly kind: Kind
  readonly build: number
  readonly actor: string
  readonly days: PersonDay[]
  /** Not in the group of all builds. */
  readonly choices: PersonChoice[]
}

/** What a person chose on a day. */
export interface PersonChoice extends ChoiceSums {
  readonly day: number
  readonly option: number
}

export interface ChoiceSums {
  chosen: number
  right: number
  wrong: number
  unlocked: number
}

/** What is known of all that the turns touch. */
export interface Known {
  readonly things: readonly Thing[]
  /** The next new thing gets this number. */
  readonly nextThing: number
  readonly options: readonly ThingOption[]
  readonly people: readonly Person[]
}

export interface DayCount {
  readonly thing: number
  readonly kind: Kind
  readonly build: number
  readonly day: number
  statements: number
}

export interface ChoiceCount extends PersonChoice {
  readonly thing: number
  readonly build: number
}

export interface PeopleCount extends Span {
  readonly thing: number
  readonly kind: Kind
  readonly build: number
  people: number
}

/** Counts that are added, or taken off where they are negative. */
export interface PlayCounts {
  readonly days: readonly DayCount[]
  readonly choices: readonly ChoiceCount[]
  readonly people: readonly PeopleCount[]
}

/** What turns change: counts, and rows as they become. */
export interface PlayChanges extends PlayCounts {
  readonly things: readonly Thing[]
  readonly options: readonly ThingOption[]
  readonly persons: readonly Person[]
}

/** Build number of rows for all builds together. */
export const allBuilds = -1
/** Numbers of options that are none. */
export const otherOption = 0
export const noResponse = -1
/** A game may have a new activity in every statement: the things of a game that are counted, the first ones. */
export const mostThings = 5_000
/** Options of a thing that are counted one by one, the first ones. */
export const mostOptions = 50

const dayMicros = 86_400_000_000
export const dayNumber = (stored: number): number => Math.floor(stored / dayMicros)

/** Adds turns in their order. */
export function foldPlays(known: Known, turns: readonly PlayTurn[]): PlayChanges {
  const things = thingsOf(known)
  const options = optionsOf(known)
  const persons = personsOf(known.people)
  const counts = playCounts()
  for (const turn of turns) {
    const { kind, stored, actor, build, progress, choice } = turn
    const thing = things.of(turn)
    if (thing === undefined) continue
    const day = dayNumber(stored)
    counts.day({ thing, kind, build, day, statements: 1 })
    for (const which of [allBuilds, build]) {
      const person = persons.of({ thing, kind, build: which, actor })
      const own = dayIn(person.days, day)
      own.count++
      if (progress !== undefined) {
        own.latest = progress
        own.highest = Math.max(own.highest, progress)
      }
    }
    if (!choice) continue
    const sums = sumsOf(kind, choice)
    const option = options.of(thing, choice)
    counts.choice({ thing, build, day, option, ...sums })
    addChoice(persons.of({ thing, kind, build, actor }).choices, { day, option, ...sums })
  }
  for (const [was, now] of persons.changed()) {
    counts.spans(was, -1)
    counts.spans(now, 1)
  }
  return {
    ...counts.all(),
    things: things.added,
    options: options.changed(),
    persons: persons.changed().map(([, now]) => now),
  }
}

/** The counts that all these people added, to take them off. */
export function playsOff(people: readonly Person[]): PlayCounts {
  const counts = playCounts()
  for (const person of people) {
    const { thing, kind, build } = person
    counts.spans(person, -1)
    if (build === allBuilds) continue
    for (const { day, count } of person.days) counts.day({ thing, kind, build, day, statements: -count })
    for (const { day, option, ...sums } of person.choices)
      counts.choice({ thing, build, day, option, ...negative(sums) })
  }
  return counts.all()
}

function sumsOf(kind: Kind, { right }: Choice): ChoiceSums {
  if (kind === kinds.unlocked) return { chosen: 0, right: 0, wrong: 0, unlocked: 1 }
  return { chosen: 1, right: Number(right === true), wrong: Number(right === false), unlocked: 0 }
}

const negative = ({ chosen, right, wrong, unlocked }: ChoiceSums): ChoiceSums => ({
  chosen: -chosen,
  right: -right,
  wrong: -wrong,
  unlocked: -unlocked,
})

function add(sums: ChoiceSums, { chosen, right, wrong, unlocked }: ChoiceSums): void {
  sums.chosen += chosen
  sums.right += right
  sums.wrong += wrong
  sums.unlocked += unlocked
}

function addChoice(choices: PersonChoice[], choice: PersonChoice): void {
  const known = choices.findLast(({ day, option }) => day === choice.day && option === choice.option)
  if (known) add(known, choice)
  else choices.push({ ...choice })
}

function playCounts() {
  const days = new Map<string, DayCount>()
  const choices = new Map<string, ChoiceCount>()
  const people = new Map<string, PeopleCount>()
  return {
    day({ statements, ...where }: DayCount): void {
      at(days, Object.values(where).join(' '), () => ({ ...where, statements: 0 })).statements += statements
    },
    choice(count: ChoiceCount): void {
      const { thing, build, day, option } = count
      const empty = { thing, build, day, option, chosen: 0, right: 0, wrong: 0, unlocked: 0 }
      add(
        at(choices, `${thing} ${build} ${day} ${option}`, () => empty),
        count,
      )
    },
    spans({ thing, kind, build, days }: Omit<Person, 'choices'>, by: 1 | -1): void {
      for (const span of spansOf(days)) {
        const where = { thing, kind, build, ...span }
        at(people, Object.values(where).join(' '), () => ({ ...where, people: 0 })).people += by
      }
    },
    all: (): PlayCounts => ({
      days: [...days.values()],
      choices: [...choices.values()],
      people: [...people.values()].filter(({ people }) => people !== 0),
    }),
  }
}

function thingsOf({ things, nextThing }: Known) {
  const byActivity = new Map(things.map((thing) => [thing.activity, thing]))
  const added: Thing[] = []
  let next = nextThing
  return {
    /** Undefined: the game has too many. */
    of({ activity }: PlayTurn): number | undefined {
      let thing = byActivity.get(activity)
      if (!thing) {
        if (next > mostThings) return undefined
        byActivity.set(activity, (thing = { number: next++, activity }))
        added.push(thing)
      }
      return thing.number
    },
    added,
  }
}

function optionsOf({ options }: Known) {
  const byThing = new Map<number, Map<string, ThingOption>>()
  const changed = new Set<ThingOption>()
  const ofThing = (thing: number) => at(byThing, thing, () => new Map<string, ThingOption>())
  for (const option of options) ofThing(option.thing).set(option.response, { ...option, uses: 0 })
  return {
    of(thing: number, { response, name, given }: Choice): number {
      if (response === undefined) return given ? otherOption : noResponse
      const known = ofThing(thing)
      let option = known.get(response)
      if (!option) {
        if (known.size >= mostOptions) return otherOption
        const number = Math.max(0, ...[...known.values()].map(({ number }) => number)) + 1
        known.set(response, (option = { thing, number, response, name, uses: 0 }))
      } else if (name !== '') option.name = name
      option.uses++
      changed.add(option)
      return option.number
    },
    changed: () => [...changed],
  }
}

function personsOf(people: readonly Person[]) {
  type Group = Omit<Person, 'days' | 'choices'>
  const nameOf = ({ thing, kind, build, actor }: Group) => `${thing} ${kind} ${build} ${actor}`
  const before = new Map(people.map((person) => [nameOf(person), person]))
  const touched = new Map<string, [was: Person, now: Person]>()
  return {
    of(group: Group): Person {
      const begin = (): [Person, Person] => {
        const was = before.get(nameOf(group)) ?? { ...group, days: [], choices: [] }
        return [was, { ...was, days: copies(was.days), choices: copies(was.choices) }]
      }
      return at(touched, nameOf(group), begin)[1]
    },
    /** Each as it was and as it is. */
    changed: () => [...touched.values()],
  }
}

const copies = <Row extends object>(rows: readonly Row[]): Row[] => rows.map((row) => ({ ...row }))

function at<Key, T>(map: Map<Key, T>, key: Key, empty: () => T): T {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = empty()))
  return value
}
