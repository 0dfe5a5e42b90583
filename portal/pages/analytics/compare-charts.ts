import type { GetAnswersResponse } from '../../../gen/lrs/v1/answers_pb.js'
import { isCutValue } from '../../../shared/result-address.ts'
import type { Chart } from '../../charts/chart.ts'
import { mostRows, rows, type Labelled, type Bar } from '../../charts/rows.ts'
import type { Side } from '../../charts/sides.ts'
import { column, type Row } from '../../charts/table.ts'
import { amount } from '../../charts/words.ts'
import { hint, plain, type Asked } from './asked.ts'
import { changesOf, changeText, isJudged, rateText, verdict, type Change, type Goal, type Tries } from './changes.ts'
import { labelOf } from './level-charts.ts'

/** The new build and the one before, or two values of the cut. */
export type Pair = readonly [now: Side<GetAnswersResponse>, before: Side<GetAnswersResponse>]

/** Whether one build is better than another one. Undefined: there is only one. */
export function compareCharts(asked: Asked, pair: Pair | undefined): Chart[] {
  const periods = asked.view.compare === 'before' && 'Is this period better than the one before?'
  const title = periods || (pair ? `Is ${pair[0].name} better than ${pair[1].name}?` : 'Is the new build better?')
  const first = changesIn(pair, 'first')
  return [
    {
      ...chart(asked, pair, first),
      id: 'change',
      title,
      answer: pair ? answer(asked, pair, first) : '',
      source:
        'Counts the first attempt of each player at a level, if it began in these days. It passes by the verb passed ' +
        'or by result.success. A level that has neither is compared by completed attempts. The interval is that of ' +
        'Newcombe: of 100 such intervals, 95 contain the true difference. A change is certain when 0 is outside of the ' +
        'interval and both have 10 players at the level. Of 20 levels that did not change, one may still look certain.',
    },
    {
      ...chart(asked, pair, changesIn(pair, 'later')),
      id: 'later',
      title: 'Is it better at later tries?',
      answer: 'These players have tried the level before. Levels with a certain change are first.',
      source:
        'Counts all attempts of these days but the first tries, also those of teams. A player can have several, so the ' +
        'true intervals are wider than these.',
    },
  ]
}

const changesIn = (pair: Pair | undefined, tries: Tries, goal?: Goal): Change[] =>
  // the sum of all levels comes first
  pair
    ? changesOf(pair[1].of, pair[0].of, tries, goal).toSorted(
        (a, b) => Number(b.level.wholeGame) - Number(a.level.wholeGame),
      )
    : []

function answer({ name, view }: Asked, [now, before]: Pair, changes: readonly Change[]): string {
  const game = changes.find(({ level }) => level.wholeGame)
  const then = isCutValue(view.build) && view.compare !== 'before' ? `with ${before.name}` : 'before'
  const said = verdict(changes, now.name, name, then)
  // a game that never ends says nothing here
  if (!game || game.now.part + game.before.part === 0) return said
  return (
    `${said}\nThe whole game: ${rateText(game.now)} ${game.goal} it at the first try; ${then}, ` +
    `${rateText(game.before)} did.${game.isCertain ? '' : ' This could be chance.'}`
  )
}

function chart({ name, href }: Asked, pair: Pair | undefined, changes: readonly Change[]) {
  const label = labelOf(name)
  return {
    drawing:
      changes.length === 0 || !pair
        ? undefined
        : rows(
            changes.slice(0, mostRows).map((one): Labelled<Bar> => {
              const side = ({ name }: Pair[number], part: 'now' | 'before', colour: 'neutral' | 'further') => ({
                name,
                parts: { [colour]: one[part].part / one[part].whole },
                value: `${rateText(one[part])} of ${amount(one[part].whole)}`,
                told: `${rateText(one[part])} of ${amount(one[part].whole)} ${one.goal}; difference in points ${changeText(one)}`,
              })
              return {
                label: label(one.level),
                href: href({ activity: one.level.activityId }),
                beside: {
                  text: changeText(one),
                  ...(one.isCertain && { meaning: one.change > 0 ? 'reached' : 'stuck' }),
                },
                of: [side(pair[0], 'now', 'neutral'), side(pair[1], 'before', 'further')],
              }
            }),
            undefined,
            1,
          ),
    table: {
      columns: [
        column('Level', 'text'),
        column('Rate', 'text'),
        ...(pair ?? []).toReversed().map(({ name }) => column(name, 'percent')),
        ...['Difference', 'from', 'to'].map((name) => column(name, 'points')),
        ...(pair ?? []).toReversed().map(({ name }) => column(`Tries, ${name}`)),
      ],
      rows: rowsOf(pair, label),
    },
    empty: pair
      ? hint('No level was tried in both. A game says that a level begins with the verb initialized.')
      : plain(
          'Players had only one build in these days, and two are needed. Choose more days, or come back after the next release.',
        ),
  }
}

const measures: readonly (readonly [text: string, tries: Tries, goal: Goal])[] = [
  ['Passed at the first try', 'first', 'pass'],
  ['Completed at the first try', 'first', 'complete'],
  ['Passed at later tries', 'later', 'pass'],
  ['Completed at later tries', 'later', 'complete'],
]

/** Each level with all its rates. */
const rowsOf = (pair: Pair | undefined, label: ReturnType<typeof labelOf>): Row[] =>
  measures.flatMap(([text, tries, goal]) =>
    changesIn(pair, tries, goal)
      .filter(({ level }) => goal === 'complete' || isJudged(level))
      .map(({ level, before, now, change, low, high }) => ({
        cells: [
          label(level),
          text,
          before.part / before.whole,
          now.part / now.whole,
          change,
          low,
          high,
          before.whole,
          now.whole,
        ],
      })),
  )
