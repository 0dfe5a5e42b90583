import { monthAfter, monthOf } from '../../process/rules/months.ts'
import { spansOf } from './person-days.ts'
import { allBuilds, teamsOf } from './turn.ts'
import type {
  ChoiceCount,
  ChoiceSums,
  DayCount,
  OfPeriod,
  PeopleCount,
  Person,
  PersonChoice,
  PlayCounts,
} from './play-rows.ts'
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

/** Sums of counts, to be stored: each by its day and by its month. */
export function playCounts() {
  const days = new Map<string, DayCount>()
  const choices = new Map<string, ChoiceCount>()
  const people = new Map<string, PeopleCount>()
  return {
    day({ statements, ...one }: Omit<DayCount, 'wholeMonth'>): void {
      for (const period of periodsWith(one.day)) {
        const where = { ...one, ...period }
        at(days, Object.values(where).join(' '), () => ({ ...where, statements: 0 })).statements += statements
      }
    },
    choice(count: Omit<ChoiceCount, 'wholeMonth'>): void {
      const { thing, build, option } = count
      for (const period of periodsWith(count.day)) {
        const where = { thing, build, option, ...period }
        const empty = () => ({ ...where, chosen: 0, right: 0, wrong: 0, unlocked: 0 })
        add(at(choices, Object.values(where).join(' '), empty), count)
      }
    },
    spans({ thing, kind, days }: Person, by: 1 | -1): void {
      const isTeam = days.some(({ build }) => build < allBuilds)
      for (const build of new Set([isTeam ? teamsOf(allBuilds) : allBuilds, ...days.map((day) => day.build)])) {
        for (const span of spansOf(days, build)) {
          for (const period of periodsWith(span.day)) {
            if (period.wholeMonth && span.next < monthAfter(period.day)) continue
            const where = { thing, kind, build, ...span, ...period }
            const { next, latest, highest } = span
            const name = `${thing} ${kind} ${build} ${period.wholeMonth} ${period.day} ${next} ${latest} ${highest}`
            at(people, name, () => ({ ...where, people: 0 })).people += by
          }
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

const periodsWith = (day: number): OfPeriod[] => [
  { wholeMonth: false, day },
  { wholeMonth: true, day: monthOf(day) },
]

export function at<Key, T>(map: Map<Key, T>, key: Key, empty: () => T): T {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = empty()))
  return value
}
