import type { GetAnswersResponse, ReturnCohort } from '../../../gen/lrs/v1/answers_pb.js'
import type { Chart } from '../../charts/chart.ts'
import { columns } from '../../charts/columns.ts'
import { heat } from '../../charts/heat.ts'
import { lines } from '../../charts/lines.ts'
import { sentences, sideTable, type Side } from '../../charts/sides.ts'
import { column } from '../../charts/table.ts'
import { amount, duration, percentOf } from '../../charts/words.ts'
import { counted, dayName } from '../parts/amount.ts'
import { hint, plain } from './asked.ts'

type Sides = readonly Side<GetAnswersResponse>[]

/** Whether players come back, and how long they stay. */
export const returnCharts = (sides: Sides): Chart[] => [
  returning(sides),
  sessions(sides),
  ...sides.map((side, at) => cohorts(side, at, sides.length > 1)),
]

const rule =
  'Counts every player whose first statement was in these days, and the days on which the same player sent another ' +
  'one. All verbs count. Days are in the time zone of the studio.'
const nobody = plain(
  'No new player of these days has had a following day yet. Look again tomorrow, choose more days, or invite players.',
)

function returning(sides: Sides): Chart {
  const daysOf = ({ returns }: GetAnswersResponse) => (returns?.days ?? []).filter(({ people }) => people > 0n)
  const length = Math.max(0, ...sides.map(({ of }) => daysOf(of).length))
  const shareAt = (of: GetAnswersResponse, at: number) => {
    const day = daysOf(of)[at]
    return day && day.people > 0n ? Number(day.returned) / Number(day.people) : 0
  }
  const later = Array.from({ length: Math.max(0, length - 1) }, (_, at) => at + 1)
  const values = sides.map(({ of }) => later.map((at) => shareAt(of, at)))
  const top = [0.1, 0.2, 0.4, 0.6, 0.8, 1].find((top) => top >= Math.max(0, ...values.flat()))
  const tell = (share: number) => `${Math.round(share * 100)} %`
  const told = ({ returns }: GetAnswersResponse) => {
    const after = (days: number) => {
      const day = returns?.days.find(({ after }) => after === days)
      return day && day.people > 0n
        ? `${amount(Number(day.returned))} of ${amount(Number(day.people))} ${inDays[days]} ` +
            `(${percentOf(Number(day.returned), Number(day.people))})`
        : undefined
    }
    const known = [1, 7, 30].map(after).filter((part) => part !== undefined)
    return known.length > 0
      ? `Of the new players, ${known.join(', ')}.`
      : 'Too early to tell: the first day is not over.'
  }
  return {
    id: 'returning',
    title: 'How many players come back?',
    answer: sentences(sides, told),
    source: `${rule} For each number of days, only players count for whom that day is over.`,
    drawing:
      later.length === 0
        ? undefined
        : lines({
            labels: later.map((day) => `Day ${day}`),
            series: sides.map(({ name }, at) => ({ name: sides.length > 1 ? name : '', values: values[at]! })),
            tell,
            tick: tell,
            top: top ?? 1,
          }),
    table: sideTable(
      sides,
      [column('Days after the first', 'text'), column('Players'), column('Came back'), column('Share', 'percent')],
      (of) =>
        daysOf(of).map(({ after, people, returned }) => ({
          cells: [String(after), Number(people), Number(returned), Number(returned) / Number(people)],
        })),
    ),
    empty: nobody,
  }
}

const inDays: Readonly<Record<number, string>> = {
  1: 'came back on the next day',
  7: 'on the 7th day',
  30: 'on the 30th day',
}

interface Cohort {
  readonly label: string
  readonly people: number
  /** After 1, 7 and 30 days: how many of those for whom the day is over. */
  readonly after: readonly { readonly of: number; readonly back: number }[]
}

const counts = [1, 7, 30] as const
const later = ({ after1, after7, after30 }: ReturnCohort) => [after1, after7, after30]

/** Days as they are, or weeks from Monday where there are more than 14 days. */
function cohortsIn(days: readonly ReturnCohort[]): Cohort[] {
  const isWeekly = days.length > 14
  const groups = Map.groupBy(days, ({ day }) => (isWeekly ? mondayOf(day) : day))
  return [...groups].map(([day, members]) => ({
    label: isWeekly ? `week of ${dayName(day)}` : dayName(day),
    people: members.reduce((sum, { people }) => sum + Number(people), 0),
    after: counts.map((_, at) => {
      const known = members.filter((one) => later(one)[at] !== undefined)
      return {
        of: known.reduce((sum, { people }) => sum + Number(people), 0),
        back: known.reduce((sum, one) => sum + Number(later(one)[at]), 0),
      }
    }),
  }))
}

const dayMs = 86_400_000
function mondayOf(day: string): string {
  const time = Date.parse(`${day}T00:00:00Z`)
  return new Date(time - ((new Date(time).getUTCDay() + 6) % 7) * dayMs).toISOString().slice(0, 10)
}

function cohorts({ name, of }: Side<GetAnswersResponse>, at: number, isPair: boolean): Chart {
  const found = cohortsIn(of.returns?.cohorts ?? [])
  const people = found.reduce((sum, cohort) => sum + cohort.people, 0)
  const best = found
    .filter(({ after }) => after[1]!.of > 0)
    .toSorted((a, b) => b.after[1]!.back / b.after[1]!.of - a.after[1]!.back / a.after[1]!.of)[0]
  return {
    id: at === 0 ? 'cohorts' : 'cohorts-compared',
    title: `Who comes back, by first day?${isPair ? ` ${name}` : ''}`,
    answer: best
      ? `${counted(people, 'new player')}. Those of ${
          best.label.startsWith('week') ? `the ${best.label}` : best.label
        } came back most: ${amount(best.after[1]!.back)} of ${amount(best.after[1]!.of)} on the 7th day.`
      : `${counted(people, 'new player')}. The 7th day after the first one is not over for any of them.`,
    source: `${rule} A cell is the share that was there on exactly that day; empty: that day is not over.`,
    drawing:
      found.length === 0
        ? undefined
        : heat(
            ['Next day', '7th day', '30th day'],
            found.map(({ label, people, after }) => ({
              // as much as fits beside the plot
              label: `${label.replace('week of', 'from')} (${amount(people)})`,
              cells: after.map(({ of, back }) =>
                of === 0
                  ? { share: undefined, text: '', told: 'not over yet' }
                  : {
                      share: back / of,
                      text: percentOf(back, of),
                      below: `${amount(back)} of ${amount(of)}`,
                      told: `${amount(back)} of ${counted(of, 'player')}, ${percentOf(back, of)}`,
                    },
              ),
            })),
          ),
    table: {
      columns: [
        column('First day', 'text'),
        column('Players'),
        ...counts.flatMap((days) => [column(`Over ${days} d`), column(`Back after ${days} d`)]),
      ],
      rows: found.map(({ label, people, after }) => ({
        cells: [label, people, ...after.flatMap(({ of, back }) => [of, of === 0 ? undefined : back])],
      })),
    },
    empty: nobody,
  }
}

const limits = [10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600]
const bins = [
  ...limits.map((limit, at) =>
    at === 0 ? `below ${duration(limit)}` : `${duration(limits[at - 1]!)} to ${duration(limit)}`,
  ),
  `${duration(3600)} or more`,
]
/** For the axis: where each bin ends. */
const ends = [...limits.map((limit) => `<${limit < 60 ? limit : limit / 60}${limit < 60 ? ' s' : ' min'}`), '1 h+']

function sessions(sides: Sides): Chart {
  const secondsOf = ({ sessions }: GetAnswersResponse) => sessions?.seconds
  const isEmpty = sides.every(({ of }) => (secondsOf(of)?.count ?? 0n) === 0n)
  const shares = (of: GetAnswersResponse) => {
    const { count = 0n, bins: found = [] } = secondsOf(of) ?? {}
    return bins.map((_, at) => (count > 0n ? Number(found[at] ?? 0n) / Number(count) : 0))
  }
  const isPair = sides.length > 1
  const values = ({ of }: Sides[number]) =>
    isPair ? shares(of) : bins.map((_, at) => Number(secondsOf(of)?.bins[at] ?? 0n))
  const tell = (share: number) => `${Math.round(share * 100)} %`
  const drawn = columns({
    labels: ends,
    series: sides.map((side) => ({ name: isPair ? side.name : 'Sessions', values: values(side) })),
    ...(isPair
      ? { tell, tick: tell, top: Math.min(1, Math.ceil(Math.max(...sides.flatMap(values)) * 5) / 5) || 1 }
      : {}),
  })
  const isExact = sides.every(({ of }) => secondsOf(of)?.exact ?? true)
  return {
    id: 'sessions',
    title: 'How long do players play?',
    answer: sentences(sides, (of) => {
      const { count = 0n, median = 0, firstQuartile = 0, thirdQuartile = 0 } = secondsOf(of) ?? {}
      if (count === 0n) return 'No sessions.'
      return (
        `${counted(count, 'session')}. Half of them take at most ${duration(median)}; the middle half ` +
        `${duration(firstQuartile)} to ${duration(thirdQuartile)}.`
      )
    }),
    source:
      `Counts the sessions that began in these days: what one learner sent with one registration, from the ` +
      `first to the last statement by timestamp. All verbs count. Sessions over 24 hours are left ` +
      `out.${isExact ? '' : ' Quartiles of more than 100,000 sessions are within 1 %.'}`,
    drawing: isEmpty ? undefined : drawn,
    table: sideTable(sides, [column('Length', 'text'), column('Sessions'), column('Share', 'percent')], (of) =>
      bins.map((bin, at) => ({ cells: [bin, Number(secondsOf(of)?.bins[at] ?? 0n), shares(of)[at]] })),
    ),
    empty: hint(
      'No session began in these days. Statements with a context.registration make a session; a launch has one.',
    ),
  }
}
