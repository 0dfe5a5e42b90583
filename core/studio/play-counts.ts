import { allBuilds, spansOf } from './person-days.ts'
import type { ChoiceCount, ChoiceSums, DayCount, PeopleCount, Person, PersonChoice, PlayCounts } from './play-rows.ts'
import { kinds, type Choice, type Kind } from './plays.ts'

export function sumsOf(kind: Kind, { right }: Choice): ChoiceSums {
  if (kind === kinds.unlocked) return { chosen: 0, right: 0, wrong: 0, unlocked: 1 }
  return { chosen: 1, right: Number(right === true), wrong: Number(right === false), unlocked: 0 }
}

export const negative = ({ chosen, right, wrong, unlocked }: ChoiceSums): ChoiceSums => ({
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

export function addChoice(choices: PersonChoice[], choice: PersonChoice): void {
  const known = choices.findLast(
    ({ day, build, option }) => day === choice.day && build === choice.build && option === choice.option,
  )
  if (known) add(known, choice)
  else choices.push({ ...choice })
}

/** Sums of counts, to be stored. */
export function playCounts() {
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
    spans({ thing, kind, days }: Person, by: 1 | -1): void {
      for (const build of new Set([allBuilds, ...days.map((day) => day.build)])) {
        for (const span of spansOf(days, build)) {
          const where = { thing, kind, build, ...span }
          at(people, Object.values(where).join(' '), () => ({ ...where, people: 0 })).people += by
        }
      }
    },
    all: (): PlayCounts => ({
      days: [...days.values()],
      choices: [...choices.values()],
      people: [...people.values()].filter(({ people }) => people !== 0),
    }),
  }
}

export function at<Key, T>(map: Map<Key, T>, key: Key, empty: () => T): T {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = empty()))
  return value
}
