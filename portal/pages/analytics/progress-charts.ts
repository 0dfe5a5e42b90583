import { mostStuck } from '../../../shared/overview-rules.ts'
import type { FunnelLevel, GetAnswersResponse, LeavingLevel } from '../../../gen/lrs/v1/answers_pb.js'
import type { Chart } from '../../charts/chart.ts'
import { rows } from '../../charts/rows.ts'
import { sentences, sideTable, together, type Side } from '../../charts/sides.ts'
import { column } from '../../charts/table.ts'
import { amount, percentOf } from '../../charts/words.ts'
import { counted, dayName } from '../parts/amount.ts'
import { plain, type Asked } from './asked.ts'
import { attempts, labelOf, levelRule, noLevels, rest, scores, times, withoutGame } from './level-charts.ts'

type Sides = readonly Side<GetAnswersResponse>[]

/** Where players get stuck. */
export const progressCharts = (asked: Asked, sides: Sides): Chart[] => [
  funnel(asked, sides),
  leaving(asked, sides),
  attempts(asked, sides),
  times(asked, sides),
  scores(asked, sides),
]

const funnelRule = 'Counts the players whose first statement came in these days, and all that they did until now.'

export function funnel({ name, href }: Asked, sides: Sides): Chart {
  const listOf = ({ funnel }: GetAnswersResponse) =>
    (funnel?.levels ?? []).toSorted((a, b) => Number(a.wholeGame) - Number(b.wholeGame))
  const label = labelOf(name)
  const levels = together(sides, listOf, ({ activityId }) => activityId)
  const isEmpty = levels.length === 0
  const all = {
    label: 'New players',
    of: sides.map(({ name, of: { funnel } }) => {
      const people = Number(funnel?.people ?? 0)
      return { name, parts: { neutral: people }, value: counted(people, 'player'), told: counted(people, 'player') }
    }),
  }
  const labelled = withoutGame(levels).map(({ key, of }) => ({
    label: label(of.find(({ one }) => one)!.one!),
    href: href({ activity: key }),
    of: of.map(({ name, one }, at) => {
      const [started, completed] = [Number(one?.started ?? 0), Number(one?.completed ?? 0)]
      const people = Number(sides[at]!.of.funnel?.people ?? 0)
      return {
        name,
        parts: { reached: completed, stuck: started - completed },
        value: `${amount(completed)} of ${amount(started)} completed`,
        told:
          `${amount(started)} started it, ${percentOf(started, people)} of the new players; ` +
          `${amount(completed)} completed it, ${percentOf(completed, started)} of those`,
      }
    }),
  }))
  return {
    id: 'funnel',
    title: 'How far do players get?',
    answer: sentences(sides, (of) => stuck(listOf(of), Number(of.funnel?.people ?? 0), name)),
    source: `${funnelRule} ${levelRule}${rest(
      sides.some(({ of }) => of.funnel?.more),
      levels.length,
    )}`,
    drawing: isEmpty ? undefined : rows([all, ...labelled], { reached: 'Completed', stuck: 'Started, not completed' }),
    table: sideTable(
      sides,
      [column('Level', 'text'), column('Started'), column('Completed'), column('Completed of started', 'percent')],
      (of) => [
        { cells: ['New players', Number(of.funnel?.people ?? 0), undefined, undefined] },
        ...listOf(of).map((level) => ({
          cells: [label(level), Number(level.started), Number(level.completed), share(level.completed, level.started)],
          href: href({ activity: level.activityId }),
        })),
      ],
    ),
    empty: noLevels,
  }
}

const share = (part: bigint, whole: bigint): number | undefined =>
  whole > 0n ? Number(part) / Number(whole) : undefined

function stuck(levels: readonly FunnelLevel[], people: number, name: Asked['name']): string {
  const worst = mostStuck(levels)
  if (!worst) return `${counted(people, 'new player')}, and no level yet.`
  const open = worst.started - worst.completed
  if (open === 0n) return `${counted(people, 'new player')}. Everybody who started a level completed it.`
  return (
    `${counted(people, 'new player')}. Most are stuck in ${name(worst)}: ${amount(Number(open))} of the ` +
    `${amount(Number(worst.started))} who started it have not completed it.`
  )
}

function leaving({ name, href }: Asked, sides: Sides): Chart {
  const listOf = ({ leaving }: GetAnswersResponse): readonly LeavingLevel[] => leaving?.levels ?? []
  const levels = together(sides, listOf, ({ activityId }) => activityId)
  const gone = sides.some(({ of }) => (of.leaving?.people ?? 0n) > 0n)
  const bar = (side: string, people: number, during: number, after: number) => ({
    name: side,
    parts: { left: during, neutral: after },
    value: `${amount(during + after)} of ${amount(people)} left`,
    told:
      `${amount(during)} left in the middle of it, ${amount(after)} after completing it, of ` +
      `${counted(people, 'player')} who left`,
  })
  const peopleOf = (at: number) => Number(sides[at]!.of.leaving?.people ?? 0)
  const labelled = levels.map(({ key, of }) => ({
    label: name(of.find(({ one }) => one)!.one!),
    href: href({ activity: key }),
    of: of.map(({ name, one }, at) => bar(name, peopleOf(at), Number(one?.during ?? 0), Number(one?.after ?? 0))),
  }))
  const before = sides.map(({ name, of: { leaving } }, at) => {
    const count = Number(leaving?.beforeAny ?? 0)
    return { ...bar(name, peopleOf(at), count, 0), told: `${amount(count)} left before they started a level` }
  })
  const until = sides[0]!.of.leaving?.until ?? ''
  const most = ({ leaving }: GetAnswersResponse) => {
    // who left after completing a level may have had enough; who left in the middle of it was stopped there
    const [first] = (leaving?.levels ?? []).toSorted((a, b) => Number(b.during - a.during || b.after - a.after))
    const people = counted(leaving?.people ?? 0n, 'player')
    if (!first) return `${people} left.`
    if (first.during === 0n)
      return `${people} left, none in the middle of a level. Most left after ${name(first)}: ${amount(Number(first.after))}.`
    return (
      `${people} left. Most left in the middle of ${name(first)}: ${amount(Number(first.during))}. ` +
      `${amount(Number(first.after))} left after completing it.`
    )
  }
  return {
    id: 'leaving',
    title: 'Where do players leave?',
    answer: sentences(sides, most),
    source:
      `Counts the players whose last statement came in these days${until && `, up to ${dayName(until)}`}, and ` +
      `who sent nothing for at least 7 days since, by the level that they were at last. ${levelRule}`,
    drawing: gone
      ? rows(
          [
            ...(before.some(({ parts }) => parts.left > 0) ? [{ label: 'Before any level', of: before }] : []),
            ...labelled,
          ],
          { left: 'In the middle of it', neutral: 'After completing it' },
        )
      : undefined,
    table: sideTable(
      sides,
      [column('Last level', 'text'), column('Left in the middle'), column('Left after completing it')],
      (of) => [
        { cells: ['Before any level', Number(of.leaving?.beforeAny ?? 0), undefined] },
        ...listOf(of).map((level) => ({
          cells: [name(level), Number(level.during), Number(level.after)],
          href: href({ activity: level.activityId }),
        })),
      ],
    ),
    empty: plain(
      until === ''
        ? 'A player counts as gone after 7 days without a statement, so these days cannot tell yet. Choose more days.'
        : 'No player of these days has been away for 7 days yet.',
    ),
  }
}
