import { monthAfter, monthOf } from '../../process/rules/months.ts'
import { withMonths } from './facts/periods.ts'
import { spansOf, type PersonDay, type Span } from './person-days.ts'
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

  function span(group: Pick<Person, 'thing' | 'kind'>, build: number, { day, ...span }: Span, by: 1 | -1): void {
    add({ wholeMonth: false, day })
    const month = monthOf(day)
    // a range has a month whole or not at all
    if (span.next >= monthAfter(month)) add({ wholeMonth: true, day: month })

    function add(period: OfPeriod): void {
      const { thing, kind } = group
      const { next, latest, highest } = span
      const name = `${thing} ${kind} ${build} ${period.wholeMonth} ${period.day} ${next} ${latest} ${highest}`
      at(people, name, () => ({ thing, kind, build, ...span, ...period, people: 0 })).people += by
    }
  }

  return {
    day({ thing, kind, build, day, statements }: Omit<DayCount, 'wholeMonth'>): void {
      const made = () => ({ thing, kind, build, wholeMonth: false, day, statements: 0 })
      at(days, `${thing} ${kind} ${build} ${day}`, made).statements += statements
    },
    choice(count: Omit<ChoiceCount, 'wholeMonth'>): void {
      const { thing, build, option, day } = count
      add(
        at(choices, `${thing} ${build} ${option} ${day}`, () => ({ ...count, ...noSums, wholeMonth: false })),
        count,
      )
    },
    /** Counts a person as one who did this on these days, and no longer as one who did that on those days. */
    person(group: Pick<Person, 'thing' | 'kind'>, was: readonly PersonDay[], now: readonly PersonDay[]): void {
      const both = [...was, ...now]
      const every = both.some(({ build }) => build < allBuilds) ? teamsOf(allBuilds) : allBuilds
      for (const build of new Set([every, ...both.map((one) => one.build)])) {
        const [before, after] = [spansOf(was, build), spansOf(now, build)]
        let same = 0
        while (same < before.length && same < after.length && isSame(before[same]!, after[same]!)) same++
        for (const one of before.slice(same)) span(group, build, one, -1)
        for (const one of after.slice(same)) span(group, build, one, 1)
      }
    },
    all: (): PlayCounts => ({
      days: withMonths(
        [...days.values()],
        ({ thing, kind, build, day }) => `${thing} ${kind} ${build} ${day}`,
        (sum, { statements }) => (sum.statements += statements),
      ),
      choices: withMonths(
        [...choices.values()],
        ({ thing, build, option, day }) => `${thing} ${build} ${option} ${day}`,
        add,
      ),
      people: [...people.values()].filter(({ people }) => people !== 0),
    }),
  }
}

const noSums: ChoiceSums = { chosen: 0, right: 0, wrong: 0, unlocked: 0 }
const isSame = (one: Span, other: Span): boolean =>
  one.day === other.day && one.next === other.next && one.latest === other.latest && one.highest === other.highest

export function at<Key, T>(map: Map<Key, T>, key: Key, empty: () => T): T {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = empty()))
  return value
}
