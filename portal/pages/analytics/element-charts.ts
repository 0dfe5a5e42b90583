import type { ListProgressResponse, PlayedActivity } from '../../../gen/lrs/v1/serious_games_pb.js'
import type { Chart, Parts } from '../../charts/chart.ts'
import { rows } from '../../charts/rows.ts'
import { sentences, sideTable, together } from '../../charts/sides.ts'
import { column } from '../../charts/table.ts'
import { amount, percentOf } from '../../charts/words.ts'
import { counted } from '../parts/amount.ts'
import { hint, type Asked } from './asked.ts'
import { completables, progressOfPlayers, typeText, withType } from './completable-charts.ts'
import { idOf, type Elements, type Sides } from './elements.ts'

/** What players do with the things of a game. @param players the progress of each player in one of them */
export const elementCharts = (asked: Asked, sides: Sides, players: ListProgressResponse | undefined): Chart[] => [
  progressOfPlayers(asked, sides[0]!.of.completables.completables, players),
  completables(asked, sides),
  reachables(asked, sides),
  targets(asked, sides),
]

interface Two {
  readonly activity?: PlayedActivity | undefined
  readonly first: bigint
  readonly second: bigint
  readonly firstBy: bigint
  readonly secondBy: bigint
}

/** Things with two counts each. */
function pairs(
  { name, href }: Asked,
  sides: Sides,
  listOf: (of: Elements) => readonly Two[],
  words: readonly [string, string],
  shown: (first: number, second: number) => { parts: Parts<number>; value: string; legend: Parts<string> },
  chart: Pick<Chart, 'id' | 'title' | 'source' | 'empty'>,
  answer: (of: readonly Two[]) => string,
): Chart {
  const found = together(sides, listOf, idOf)
  const [first, second] = words
  const labelled = found.map(({ key, of }) => {
    const { activity } = of.find(({ one }) => one)!.one!
    return {
      label: withType(activity!, name(activity!)),
      href: href({ activity: key }),
      of: of.map(({ name, one }) => {
        const [a, b] = [Number(one?.first ?? 0), Number(one?.second ?? 0)]
        return {
          name,
          ...shown(a, b),
          told:
            `${first} ${amount(a)} times by ${counted(one?.firstBy ?? 0n, 'player')}, ${second} ${amount(b)} ` +
            `times by ${counted(one?.secondBy ?? 0n, 'player')}`,
        }
      }),
    }
  })
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
  return {
    ...chart,
    answer: sentences(sides, (of) => answer(listOf(of))),
    drawing: found.length === 0 ? undefined : rows(labelled, shown(0, 0).legend),
    table: sideTable(
      sides,
      [
        column('What', 'text'),
        column('Kind', 'text'),
        column(capital(first)),
        column(`Players who ${first} it`),
        column(capital(second)),
        column(`Players who ${second} it`),
      ],
      (of) =>
        listOf(of).map((one) => ({
          cells: [
            name(one.activity!),
            typeText(one.activity!.type),
            ...[one.first, one.firstBy, one.second, one.secondBy].map(Number),
          ],
          href: href({ activity: idOf(one) }),
        })),
    ),
  }
}

const reachables = (asked: Asked, sides: Sides): Chart =>
  pairs(
    asked,
    sides,
    ({ reachables }) =>
      reachables.reachables.map((one) => ({
        activity: one.activity,
        first: one.accessed,
        second: one.skipped,
        firstBy: one.accessedBy,
        secondBy: one.skippedBy,
      })),
    ['accessed', 'skipped'],
    (accessed, skipped) => ({
      parts: { reached: Math.max(0, accessed - skipped), left: skipped },
      value: `${amount(skipped)} of ${amount(Math.max(accessed, skipped))} skipped`,
      legend: { reached: 'Accessed', left: 'Skipped' },
    }),
    {
      id: 'reachables',
      title: 'Where do players go, and what do they skip?',
      source:
        'Counts the statements of these days with the verbs accessed and skipped: screens, areas, zones and cutscenes.',
      empty: hint(
        'Nothing was accessed or skipped in these days. A game tells it with the verbs accessed and skipped.',
      ),
    },
    (of) => {
      const [most] = of.toSorted((a, b) => Number(b.second - a.second))
      if (!most) return 'Nothing was accessed or skipped.'
      if (most.second === 0n) return 'Players skipped nothing.'
      return `${asked.name(most.activity!)} is skipped most: ${amount(Number(most.second))} times, by ${percentOf(
        Number(most.secondBy),
        Number(most.firstBy > most.secondBy ? most.firstBy : most.secondBy),
      )} of those who came there.`
    },
  )

const targets = (asked: Asked, sides: Sides): Chart =>
  pairs(
    asked,
    sides,
    ({ targets }) =>
      targets.targets.map((one) => ({
        activity: one.activity,
        first: one.used,
        second: one.interacted,
        firstBy: one.usedBy,
        secondBy: one.interactedBy,
      })),
    ['used', 'interacted with'],
    (used, interacted) => ({
      parts: { neutral: used, further: interacted },
      value: used + interacted === 1 ? 'once' : `${amount(used + interacted)} times`,
      legend: { neutral: 'Used', further: 'Interacted with' },
    }),
    {
      id: 'targets',
      title: 'What do players use?',
      source: 'Counts the statements of these days with the verbs used and interacted: items, enemies and characters.',
      empty: hint('Nothing was used in these days. A game tells it with the verbs used and interacted.'),
    },
    (of) => {
      const [most] = of
      if (!most) return 'Nothing was used.'
      const done = (verb: string, count: bigint) => (count === 0n ? [] : [`${verb} ${counted(count, 'time')}`])
      return `Most was done with ${asked.name(most.activity!)}: ${[
        ...done('used', most.first),
        ...done('interacted with', most.second),
      ].join(', ')}.`
    },
  )
