import type { Alternative, ListAlternativesResponse, Option } from '../../../gen/lrs/v1/serious_games_pb.js'
import type { Chart, Parts } from '../../charts/chart.ts'
import { mostRows, rows } from '../../charts/rows.ts'
import { sentences, sideTable, together, type Side } from '../../charts/sides.ts'
import { column } from '../../charts/table.ts'
import { amount, percentOf } from '../../charts/words.ts'
import { counted } from '../parts/amount.ts'
import { hint, type Asked } from './asked.ts'

type Sides = readonly Side<ListAlternativesResponse>[]

/** Questions, menus and dialogs that a page shows one by one. */
const mostQuestions = 12

/** What players answered and chose. */
export const answerCharts = (asked: Asked, sides: Sides, of = ''): Chart[] => {
  const all = alternativesOf(sides)
  const one = all.filter(({ key }) => key === of)
  return [
    questions(asked, sides),
    ...(of === '' ? all.slice(0, mostQuestions) : one).map(({ key }) => choices(asked, sides, key)),
  ]
}

const listOf = ({ alternatives }: ListAlternativesResponse): readonly Alternative[] => alternatives
const idOf = ({ activity }: Alternative): string => activity!.activityId
const alternativesOf = (sides: Sides) => together(sides, listOf, idOf)
const judged = ({ right, wrong }: Alternative): number => Number(right + wrong)

const rule =
  'Counts the statements of these days with the verb selected or answered; result.success says whether an answer is ' +
  'right, result.response which one it is.'
const empty = hint(
  'No question was answered in these days. A game tells of an answer with the verb answered or selected, ' +
    'result.response and result.success.',
)

function questions({ name, href }: Asked, sides: Sides): Chart {
  const asked = (of: ListAlternativesResponse) =>
    listOf(of)
      .filter((one) => judged(one) > 0)
      .toSorted((a, b) => Number(a.right) / judged(a) - Number(b.right) / judged(b))
  const found = together(sides, asked, idOf)
  const labelled = found.map(({ key, of }) => ({
    label: name(of.find(({ one }) => one)!.one!.activity!),
    href: href({ activity: key }),
    of: of.map(({ name, one }) => {
      const [right, wrong] = [Number(one?.right ?? 0), Number(one?.wrong ?? 0)]
      const all = right + wrong
      return {
        name,
        parts: all > 0 ? { reached: right / all, stuck: wrong / all } : {},
        value: all > 0 ? `${percentOf(right, all)} right of ${amount(all)}` : 'no answers',
        told: `${amount(right)} right, ${amount(wrong)} wrong, by ${counted(one?.players ?? 0n, 'player')}`,
      }
    }),
  }))
  return {
    id: 'questions',
    title: 'Which questions are hard?',
    answer: sentences(sides, (of) => {
      const [hardest] = asked(of)
      if (!hardest) return 'No answer says whether it is right or wrong.'
      const all = judged(hardest)
      const share = `${percentOf(Number(hardest.wrong), all)} of ${counted(all, 'answer')}`
      return `${share} to “${name(hardest.activity!)}” are wrong.`
    }),
    source: `${rule} The hardest come first.${
      found.length > mostRows ? ` The drawing has ${mostRows} of ${found.length} questions, the table all.` : ''
    }${
      alternativesOf(sides).length > mostQuestions
        ? ` Below are the choices of ${mostQuestions} of ${alternativesOf(sides).length} questions.`
        : ''
    }`,
    drawing: found.length === 0 ? undefined : rows(labelled, { reached: 'Right', stuck: 'Wrong' }),
    table: sideTable(
      sides,
      [
        column('Question', 'text'),
        column('Answers'),
        column('Right'),
        column('Wrong'),
        column('Right', 'percent'),
        column('Players'),
      ],
      (of) =>
        asked(of).map((one) => ({
          cells: [
            name(one.activity!),
            Number(one.chosen),
            Number(one.right),
            Number(one.wrong),
            Number(one.right) / judged(one),
            Number(one.players),
          ],
          href: href({ activity: idOf(one) }),
        })),
    ),
    empty,
  }
}

/** The options of one question, menu or dialog. */
function choices({ name, href }: Asked, sides: Sides, activityId: string): Chart {
  const find = (of: ListAlternativesResponse) => listOf(of).find((one) => idOf(one) === activityId)
  const alternative = sides.map(({ of }) => find(of)).find((one) => one !== undefined)!
  const title = name(alternative.activity!)
  const label = ({ response, name, right }: Option) =>
    `${name || response || 'without an answer'}${right > 0n ? ' ✓' : ''}`
  const optionsOf = (of: ListAlternativesResponse): readonly Option[] => find(of)?.options ?? []
  const further = (of: ListAlternativesResponse) => {
    const { other, withoutResponse = 0n } = find(of) ?? {}
    return [
      { label: 'All other answers', chosen: Number(other?.chosen ?? 0), unlocked: Number(other?.unlocked ?? 0) },
      { label: 'Without a response', chosen: Number(withoutResponse), unlocked: 0 },
    ].filter(({ chosen, unlocked }) => chosen + unlocked > 0)
  }
  const found = together(sides, optionsOf, ({ response }) => response)
  const isJudged = judged(alternative) > 0
  const partsOf = (option: Option | undefined): Parts<number> => {
    if (!isJudged) return { neutral: Number(option?.chosen ?? 0) }
    const [right, wrong, chosen] = [Number(option?.right ?? 0), Number(option?.wrong ?? 0), Number(option?.chosen ?? 0)]
    return { reached: right, stuck: wrong, neutral: Math.max(0, chosen - right - wrong) }
  }
  const totalOf = sides.map(({ of }) => Number(find(of)?.chosen ?? 0))
  const bar = (side: string, at: number, chosen: number, parts: Parts<number>) => ({
    name: side,
    parts: Object.fromEntries(Object.entries(parts).map(([what, part]) => [what, part / (totalOf[at] || 1)])),
    value: `${amount(chosen)} · ${percentOf(chosen, totalOf[at]!)}`,
    told: `chosen ${chosen === 1 ? 'once' : `${amount(chosen)} times`} of ${amount(totalOf[at]!)}`,
  })
  const labelled = found.map(({ of }) => ({
    label: label(of.find(({ one }) => one)!.one!),
    of: of.map(({ name, one }, at) => bar(name, at, Number(one?.chosen ?? 0), partsOf(one))),
  }))
  const rest = [...new Set(sides.flatMap(({ of }) => further(of).map(({ label }) => label)))].map((label) => ({
    label,
    of: sides.map(({ name, of }, at) => {
      const chosen = further(of).find((one) => one.label === label)?.chosen ?? 0
      return bar(name, at, chosen, { neutral: chosen })
    }),
  }))
  const neither = found.some(({ of }) => of.some(({ one }) => (partsOf(one).neutral ?? 0) > 0)) || rest.length > 0
  return {
    id: 'choices',
    of: activityId,
    title: `What do players choose? ${title}`,
    small: {
      title,
      answer: sentences(sides, (of) => {
        const { chosen = 0n, players = 0n } = find(of) ?? {}
        return `${counted(chosen, 'choice')} by ${counted(players, 'player')}`
      }),
    },
    answer: sentences(sides, (of) => {
      const [most] = optionsOf(of)
      const all = Number(find(of)?.chosen ?? 0)
      return most
        ? `${counted(all, 'choice')} by ${counted(find(of)!.players, 'player')}. Most chose ` +
            `“${most.name || most.response}”: ${percentOf(Number(most.chosen), all)}.`
        : `${counted(all, 'choice')}.`
    }),
    source: `${rule} ✓ marks what was right at least once.`,
    drawing:
      labelled.length + rest.length === 0
        ? undefined
        : rows(
            [...labelled, ...rest],
            isJudged ? { reached: 'Right', stuck: 'Wrong', neutral: neither ? 'Neither' : undefined } : undefined,
            1,
            'small',
          ),
    table: sideTable(
      sides,
      [column('Option', 'text'), column('Chosen'), column('Right'), column('Wrong'), column('Unlocked')],
      (of) => [
        ...optionsOf(of).map((one) => ({
          cells: [
            one.name || one.response,
            Number(one.chosen),
            Number(one.right),
            Number(one.wrong),
            Number(one.unlocked),
          ],
          href: href({ activity: activityId }),
        })),
        ...further(of).map(({ label, chosen, unlocked }) => ({
          cells: [label, chosen, undefined, undefined, unlocked],
        })),
      ],
    ),
    empty,
  }
}
