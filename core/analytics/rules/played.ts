import { addToDays } from './person-days.ts'
import { addChoice, at, negative, playCounts, sumsOf } from './play-counts.ts'
import type { Known, Person, PlayChanges, PlayCounts, PlayTurn, Thing, ThingOption } from './play-rows.ts'
import type { Choice } from './plays.ts'
import { plainBuild, teamsOf } from './turn.ts'

/** Numbers of options that are none. */
export const otherOption = 0
export const noResponse = -1
/** A game may have a new activity in every statement: the things of a game that are counted, the first ones. */
export const mostThings = 5_000
/** Options of a thing that are counted one by one, the first ones. */
export const mostOptions = 50

/** Adds turns in their order. */
export function foldPlays(known: Known, turns: readonly PlayTurn[]): PlayChanges {
  const things = thingsOf(known)
  const options = optionsOf(known)
  const persons = personsOf(known.people)
  const counts = playCounts()
  for (const turn of turns) {
    const { kind, at, day, actor, team, build, progress, choice } = turn
    const thing = things.of(turn)
    if (thing === undefined) continue
    counts.day({ thing, kind, build, day, statements: 1 })
    const person = persons.of({ thing, kind, actor })
    addToDays(person.days, { day, build: team ? teamsOf(build) : build, at }, progress)
    if (!choice) continue
    const sums = sumsOf(kind, choice)
    const option = options.of(thing, choice)
    counts.choice({ thing, build, day, option, ...sums })
    addChoice(person.choices, { day, build, option, ...sums })
  }
  for (const [was, now] of persons.changed()) counts.person(now, was.days, now.days)
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
    const { thing, kind } = person
    counts.person(person, person.days, [])
    for (const { day, build, count } of person.days)
      counts.day({ thing, kind, build: plainBuild(build), day, statements: -count })
    for (const { day, build, option, ...sums } of person.choices)
      counts.choice({ thing, build, day, option, ...negative(sums) })
  }
  return counts.all()
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
  const nameOf = ({ thing, kind, actor }: Group) => `${thing} ${kind} ${actor}`
  const before = new Map(people.map((person) => [nameOf(person), person]))
  const touched = new Map<string, [was: Person, now: Person]>()
  return {
    of(group: Group): Person {
      const name = nameOf(group)
      let known = touched.get(name)
      if (known === undefined) {
        const was = before.get(name) ?? { ...group, days: [], choices: [] }
        touched.set(name, (known = [was, { ...was, days: copies(was.days), choices: copies(was.choices) }]))
      }
      return known[1]
    },
    /** Each as it was and as it is. */
    changed: () => [...touched.values()],
  }
}

const copies = <Row extends object>(rows: readonly Row[]): Row[] => rows.map((row) => ({ ...row }))
