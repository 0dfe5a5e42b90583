import type { Completable, ListProgressResponse, PlayedActivity } from '../../../gen/lrs/v1/serious_games_pb.js'
import type { Chart } from '../../charts/chart.ts'
import { heat } from '../../charts/heat.ts'
import { mostRows, rows } from '../../charts/rows.ts'
import { sentences, sideTable, together } from '../../charts/sides.ts'
import { column } from '../../charts/table.ts'
import { amount } from '../../charts/words.ts'
import { html } from '../../web/html.ts'
import { counted, dayName } from '../parts/amount.ts'
import { dataPath } from '../parts/data-view.ts'
import { hint, type Asked } from './asked.ts'
import { idOf, type Elements, type Sides } from './elements.ts'
import { learnerText } from '../records/statement.ts'

/** Links to other parts. */
const mostOthers = 12
const asPercent = (value: number): string => `${Math.round(value * 100)} %`
const progressRule =
  'Counts the statements with the verb progressed and the extension progress (0 to 1) of their result.'
const noProgress = hint(
  'No progress in these days. A game tells it with the verb progressed and the extension progress, from 0 to 1.',
)
/** `non-player-character` as `non-player character`. */
export const typeText = (type: string): string => type.replaceAll('-', ' ').replace(/^non /, 'non-')
export const withType = ({ type }: PlayedActivity, name: string): string =>
  type === '' || name.toLowerCase().includes(type) ? name : `${name} (${typeText(type)})`

/** The one that most players have begun and not ended. */
export const mostOpen = (completables: readonly Completable[]): string | undefined => {
  const open = ({ players, highest }: Completable) => Number(players - (highest[10] ?? 0n))
  return completables.toSorted((a, b) => open(b) - open(a))[0]?.activity?.activityId
}

export function progressOfPlayers(
  { game, view, name, href }: Asked,
  all: readonly Completable[],
  found: ListProgressResponse | undefined,
): Chart {
  const players = (found?.players ?? []).toSorted((a, b) => a.highest - b.highest)
  const title = found?.activity ? name(found.activity) : ''
  const behind = players.filter(({ highest }) => highest < 0.5).length
  const nameOf = ({ name, actor }: (typeof players)[number]) => name || learnerNamed(actor) || 'A learner'
  const to = ({ actor }: (typeof players)[number]) => {
    const agent = actor === '' ? undefined : learnerText(JSON.parse(actor) as Record<string, unknown>)
    return agent === undefined ? {} : { href: href({ agent }) }
  }
  const others = all.filter((one) => idOf(one) !== found?.activity?.activityId).slice(0, mostOthers)
  const link = (one: Completable) =>
    html`<li><a href="${dataPath(game, 'data/elements', view, { of: idOf(one) })}">${name(one.activity!)}</a></li>`
  const first =
    behind === 0
      ? `Every one of ${counted(players.length, 'player')} came at least halfway in “${title}”.`
      : `${counted(behind, 'player')} of ${amount(players.length)} ${behind === 1 ? 'has' : 'have'} not come ` +
        `halfway in “${title}”.`
  return {
    id: 'players',
    ...(found?.activity ? { of: found.activity.activityId } : {}),
    title: 'How far did each player come?',
    answer: `${first} Those who came least far are first.`,
    ...(others.length > 0
      ? { others: html`<ul class="others-of" aria-label="Other parts">${others.map(link)}</ul>` }
      : {}),
    source:
      `${progressRule} The bar is the highest progress that a player ever reached; a player who started again ` +
      `has a lower last one.${found?.next ? ' These are the 50 players who were there last.' : ''}`,
    drawing:
      players.length === 0
        ? undefined
        : rows(
            players.map((player) => ({
              label: nameOf(player),
              ...to(player),
              of: [
                {
                  name: '',
                  parts: player.highest >= 1 ? { reached: player.highest } : { stuck: player.highest },
                  value: `${asPercent(player.highest)}${
                    player.latest < player.highest ? `, now ${asPercent(player.latest)}` : ''
                  }`,
                  told:
                    `highest ${asPercent(player.highest)}, ` +
                    `last ${asPercent(player.latest)} on ${dayName(player.day)}`,
                },
              ],
            })),
            undefined,
            1,
          ),
    table: {
      columns: [
        column('Player', 'text'),
        column('Highest progress', 'percent'),
        column('Last progress', 'percent'),
        column('Last day', 'text'),
        column('Statements'),
      ],
      rows: players.map((player) => ({
        cells: [nameOf(player), player.highest, player.latest, player.day, Number(player.progressed)],
        ...to(player),
      })),
    },
    empty: noProgress,
  }
}

const learnerNamed = (actor: string): string => {
  if (actor === '') return 'A learner whose statements are gone'
  const { account, name } = JSON.parse(actor) as { account?: { name?: unknown }; name?: unknown }
  return [name, account?.name].find((text) => typeof text === 'string') ?? ''
}

/** Eleven counts in fewer columns: below a quarter, half, three quarters, all, and all of it. */
const steps = ['<30 %', '<60 %', '<100 %', '100 %']
const inSteps = (counts: readonly bigint[]): number[] =>
  [counts.slice(0, 3), counts.slice(3, 6), counts.slice(6, 10), counts.slice(10, 11)].map((part) =>
    part.reduce((sum, count) => sum + Number(count), 0),
  )
const tenths = Array.from({ length: 11 }, (_, at) => (at === 10 ? '100 %' : `${at * 10}–${at * 10 + 9} %`))

/** Letters beside a row. */
const besides = 18
const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, Math.max(1, length - 1))}…` : text

export function completables({ name, href }: Asked, sides: Sides): Chart {
  const listOf = ({ completables }: Elements): readonly Completable[] => completables.completables
  const found = together(sides, listOf, idOf)
  const isPair = sides.length > 1
  const all = found.flatMap(({ of }) =>
    of.flatMap(({ name: side, one }) => {
      if (!one) return []
      const players = Number(one.players)
      const title = name(one.activity!)
      return [
        {
          label: isPair ? `${cut(title, besides - side.length)} ${side}` : cut(title, besides),
          told: `${title}${isPair ? `, ${side}` : ''}`,
          cells: inSteps(one.highest).map((count) => ({
            share: players > 0 ? count / players : 0,
            text: amount(count),
            told: `${amount(count)} of ${counted(players, 'player')}`,
          })),
        },
      ]
    }),
  )
  return {
    id: 'completables',
    title: 'How far did players come in each part?',
    answer: sentences(sides, (of) => {
      const [most] = listOf(of)
      if (!most) return 'No progress.'
      return (
        `${counted(most.players, 'player')} made progress in ${name(most.activity!)}; ` +
        `${amount(Number(most.highest[10] ?? 0n))} reached its end.`
      )
    }),
    source:
      `${progressRule} Each cell has the number of players whose highest progress, until their last day in ` +
      `the range, was in its column.`,
    drawing: all.length === 0 ? undefined : heat(steps, all.slice(0, mostRows)),
    table: sideTable(sides, [column('Part', 'text'), column('Players'), ...tenths.map((name) => column(name))], (of) =>
      listOf(of).map((one) => ({
        cells: [withType(one.activity!, name(one.activity!)), Number(one.players), ...one.highest.map(Number)],
        href: href({ activity: idOf(one) }),
      })),
    ),
    empty: noProgress,
  }
}
