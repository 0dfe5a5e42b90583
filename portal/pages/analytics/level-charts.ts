import type { Distribution, GetAnswersResponse, LevelAnswer } from '../../../gen/lrs/v1/answers_pb.js'
import type { Chart } from '../../charts/chart.ts'
import { boxes, mostRows, rows, type Labelled } from '../../charts/rows.ts'
import { roundTime } from '../../charts/scale.ts'
import { sentences, sideTable, together, type Side } from '../../charts/sides.ts'
import { column, type Cell } from '../../charts/table.ts'
import { amount, duration } from '../../charts/words.ts'
import { counted } from '../parts/amount.ts'
import { hint, type Asked } from './asked.ts'

type Sides = readonly Side<GetAnswersResponse>[]

/** In words of the studio, as core/analytics counts. */
export const levelRule =
  'A level starts with the verb initialized, attempted or launched, and is completed with completed or passed, or ' +
  'with result.completion true.'
const abandonedRule = 'Abandoned: neither completed nor passed nor failed, or still under way.'
const passRule = 'An attempt passes or fails by the verbs passed and failed or by result.success.'
export const noLevels = hint(
  'No level was played in these days. A game says that a level begins and ends with the verbs initialized ' +
    'and completed.',
)
export const rest = (more: boolean | undefined, count: number): string =>
  more
    ? ' The table has the first 100 levels.'
    : count > mostRows
      ? ` The drawing has ${mostRows} of ${count} levels, the table all.`
      : ''

/** The game itself contains the levels, so it is not one that takes longest. */
const parts = <Of extends { readonly wholeGame: boolean }>(levels: readonly Of[]): readonly Of[] => {
  const without = levels.filter(({ wholeGame }) => !wholeGame)
  return without.length > 0 ? without : levels
}
/** For drawings: the game itself has more attempts than its levels, which would be short bars beside it. */
export const withoutGame = <Of extends { of: readonly { one: { wholeGame: boolean } | undefined }[] }>(
  levels: readonly Of[],
): readonly Of[] => {
  const without = levels.filter(({ of }) => !of.some(({ one }) => one?.wholeGame))
  return without.length > 0 ? without : levels
}
/** The name of a level; the game itself says that it is no level. */
export const labelOf =
  (name: Asked['name']) =>
  (level: { readonly activityId: string; readonly name: string; readonly wholeGame: boolean }): string =>
    level.wholeGame ? 'The whole game' : name(level)

/** Levels with attempts, in the order of the funnel where it has them. */
function played(sides: Sides) {
  const order = new Map((sides[0]!.of.funnel?.levels ?? []).map(({ activityId }, at) => [activityId, at]))
  const listOf = ({ levels }: GetAnswersResponse): readonly LevelAnswer[] =>
    (levels?.levels ?? []).toSorted(
      (a, b) =>
        Number(a.wholeGame) - Number(b.wholeGame) ||
        (order.get(a.activityId) ?? order.size) - (order.get(b.activityId) ?? order.size),
    )
  return { listOf, levels: together(sides, listOf, ({ activityId }) => activityId) }
}

export function attempts({ name: nameOf, href }: Asked, sides: Sides): Chart {
  const name = labelOf(nameOf)
  const { listOf, levels } = played(sides)
  const partsOf = (level: LevelAnswer | undefined) => {
    const [all, passed, failed, abandoned] = [level?.attempts, level?.passed, level?.failed, level?.abandoned].map(
      (count) => Number(count ?? 0),
    ) as [number, number, number, number]
    return { all, passed, failed, abandoned, others: Math.max(0, all - passed - failed - abandoned) }
  }
  const any = (pick: (parts: ReturnType<typeof partsOf>) => number) =>
    levels.some(({ of }) => of.some(({ one }) => pick(partsOf(one)) > 0))
  const labelled = withoutGame(levels).map(({ key, of }) => ({
    label: name(of.find(({ one }) => one)!.one!),
    href: href({ activity: key }),
    of: of.map(({ name, one }) => {
      const { all, passed, failed, abandoned, others } = partsOf(one)
      const told = [
        passed > 0 && `${amount(passed)} passed`,
        failed > 0 && `${amount(failed)} failed`,
        abandoned > 0 && `${amount(abandoned)} abandoned`,
        others > 0 && `${amount(others)} completed without passing or failing`,
      ].filter((part) => part !== false)
      return {
        name,
        parts: { reached: passed, neutral: others, stuck: failed, left: abandoned },
        value: counted(all, 'attempt'),
        told: `${counted(all, 'attempt')}${told.length > 0 ? `: ${told.join(', ')}` : ''}`,
      }
    }),
  }))
  return {
    id: 'attempts',
    title: 'How do attempts end?',
    answer: sentences(sides, (of) => {
      const worst = parts(listOf(of)).toSorted(
        (a, b) => Number(b.failed + b.abandoned) - Number(a.failed + a.abandoned),
      )[0]
      if (!worst) return 'No attempts.'
      const { all, failed, abandoned } = partsOf(worst)
      if (failed + abandoned === 0) return 'No attempt failed, and none was abandoned.'
      return (
        `${name(worst)} costs most tries: of ${counted(all, 'attempt')} ${amount(failed)} failed, and ` +
        `${amount(abandoned)} ${abandoned === 1 ? 'was' : 'were'} abandoned.`
      )
    }),
    source: `Counts the attempts that began in these days. ${passRule} ${abandonedRule} ${levelRule}${rest(
      sides.some(({ of }) => of.levels?.more),
      levels.length,
    )}`,
    drawing:
      levels.length === 0
        ? undefined
        : rows(labelled, {
            reached: any(({ passed }) => passed) ? 'Passed' : undefined,
            neutral: any(({ others }) => others) ? 'Completed, neither passed nor failed' : undefined,
            stuck: any(({ failed }) => failed) ? 'Failed' : undefined,
            left: any(({ abandoned }) => abandoned) ? 'Abandoned' : undefined,
          }),
    table: sideTable(
      sides,
      [
        column('Level', 'text'),
        column('Attempts'),
        column('Completed'),
        column('Passed'),
        column('Failed'),
        column('Abandoned'),
      ],
      (of) =>
        listOf(of).map((level) => ({
          cells: [
            name(level),
            ...[level.attempts, level.completed, level.passed, level.failed, level.abandoned].map(Number),
          ],
          href: href({ activity: level.activityId }),
        })),
    ),
    empty: noLevels,
  }
}

const quartiles = (of: Distribution | undefined): Cell[] =>
  of && of.count > 0n
    ? [Number(of.count), of.firstQuartile, of.median, of.thirdQuartile, of.mean]
    : [0, undefined, undefined, undefined, undefined]

/** One chart of boxes: of times, or of scores. */
function spread(
  { name: nameOf, href }: Asked,
  sides: Sides,
  pick: (level: LevelAnswer) => Distribution | undefined,
  of: {
    readonly chart: Pick<Chart, 'id' | 'title' | 'source' | 'empty'>
    readonly tell: (value: number) => string
    readonly kind: 'seconds' | 'percent'
    readonly counts: string
    readonly range: (values: readonly number[]) => readonly [number, number]
    readonly answer: (levels: readonly { name: string; of: Distribution }[]) => string
  },
): Chart {
  const name = labelOf(nameOf)
  const { listOf } = played(sides)
  const { kind, tell, chart, counts } = of
  const measured = (answers: GetAnswersResponse) => listOf(answers).filter((level) => (pick(level)?.count ?? 0n) > 0n)
  const levels = together(sides, measured, ({ activityId }) => activityId)
  const found = levels.flatMap(({ of }) => of.flatMap(({ one }) => (one ? [pick(one)!] : [])))
  const labelled: Labelled<Parameters<typeof boxes>[0][number]['of'][number]>[] = levels.map(({ key, of }) => ({
    label: name(of.find(({ one }) => one)!.one!),
    href: href({ activity: key }),
    of: of.flatMap(({ name, one }) => {
      const values = one && pick(one)
      if (!values) return []
      const { firstQuartile: low, median: middle, thirdQuartile: high, count } = values
      const told =
        `half of ${amount(Number(count))} ${counts} are at most ${tell(middle)}; the middle half is from ` +
        `${tell(low)} to ${tell(high)}`
      return [{ name, low, middle, high, value: `median ${tell(middle)}`, told }]
    }),
  }))
  const about = found.every(({ exact }) => exact) ? '' : ' Quartiles of more than 100,000 values are within 1 %.'
  return {
    ...chart,
    source: `The box is the middle half, its line the median. ${chart.source}${about}`,
    answer: sentences(sides, (answers) =>
      of.answer(parts(measured(answers)).map((level) => ({ name: name(level), of: pick(level)! }))),
    ),
    drawing:
      found.length === 0
        ? undefined
        : boxes(
            labelled,
            of.range(found.flatMap(({ firstQuartile, thirdQuartile }) => [firstQuartile, thirdQuartile])),
            tell,
          ),
    table: sideTable(
      sides,
      [
        column('Level', 'text'),
        column(counts.charAt(0).toUpperCase() + counts.slice(1)),
        ...['First quartile', 'Median', 'Third quartile', 'Mean'].map((name) => column(name, kind)),
      ],
      (answers) =>
        measured(answers).map((level) => ({
          cells: [name(level), ...quartiles(pick(level))],
          href: href({ activity: level.activityId }),
        })),
    ),
  }
}

export const times = (asked: Asked, sides: Sides): Chart =>
  spread(asked, sides, ({ seconds }) => seconds, {
    chart: {
      id: 'times',
      title: 'How long does a level take?',
      source:
        'Counts the attempts of these days that have an end: result.duration, or the time from start to end by ' +
        'timestamp, up to 24 hours.',
      empty: hint('No attempt of these days has an end and a time. A game tells the time with result.duration.'),
    },
    tell: duration,
    kind: 'seconds',
    counts: 'times',
    range: (values) => [0, roundTime(Math.max(...values))],
    answer: (levels) => {
      const [longest] = levels.toSorted((a, b) => b.of.median - a.of.median)
      return longest
        ? `${longest.name} takes longest: half of the attempts take more than ${duration(longest.of.median)}.`
        : 'No times.'
    },
  })

const asPercent = (value: number): string => `${Math.round(value * 100)} %`

export const scores = (asked: Asked, sides: Sides): Chart =>
  spread(asked, sides, ({ scores }) => scores, {
    chart: {
      id: 'scores',
      title: 'How well do players score?',
      source: 'Counts the attempts of these days with result.score.scaled, or with raw, min and max.',
      empty: hint('No score in these days. A game tells it with result.score.scaled, a number from -1 to 1.'),
    },
    tell: asPercent,
    kind: 'percent',
    counts: 'scores',
    range: (values) => [Math.min(...values) < 0 ? -1 : 0, 1],
    answer: (levels) => {
      const [lowest] = levels.toSorted((a, b) => a.of.median - b.of.median)
      return lowest
        ? `Lowest in ${lowest.name}: half of the scores are at most ${asPercent(lowest.of.median)}.`
        : 'No scores.'
    },
  })
