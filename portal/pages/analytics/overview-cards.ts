import type { AnswerBuild, GetAnswersResponse, LevelAnswer } from '../../../gen/lrs/v1/answers_pb.js'
import { difference } from '../../charts/difference.ts'
import { amount, percentOf } from '../../charts/words.ts'
import { html, type Html } from '../../web/html.ts'
import { counted } from '../parts/amount.ts'
import { dataPath } from '../parts/data-view.ts'
import type { Asked } from './asked.ts'
import { learnerPath } from './learners.ts'

/** Rows of a card. */
const mostRows = 5

const card = (id: string, title: string, content: Html): Html =>
  html`<section class="card question" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`

/** Who needs help, by one rule for all players. */
export function helpCard({ game, view, name }: Asked, { help }: GetAnswersResponse): Html {
  const people = help?.people ?? []
  const learners = new Set(people.map(({ agent }) => agent)).size
  const isAll = people.length <= mostRows
  return card(
    'help',
    'Who needs help?',
    html`<p class="answer">${
      learners === 0
        ? 'Nobody: every level that a player tried 3 times is completed.'
        : `${counted(learners, 'player')}${help!.more ? ' or more' : ''}, the last seen first.`
    }</p>
        ${
          people.length > 0 &&
          html`<table class="brief"><thead class="visually-hidden"><tr><th scope="col">Player</th><th
          scope="col">Level</th><th scope="col">Tries</th></tr></thead>
          <tbody>${people.slice(0, mostRows).map(
            ({ agent, name: learner, activityId, level, attempts }) =>
              html`<tr><th scope="row"><a href="${learnerPath(game, view, agent)}">${
                learner || 'Without a name'
              }</a></th>
              <td>${name({ activityId, name: level })}</td><td class="number is-stuck">${counted(
                attempts,
                'try',
                'tries',
              )}</td></tr>`,
          )}</tbody></table>`
        }
        <p class="hint">${!isAll && `${people.length - mostRows} more. `}Three or more attempts at a level, none
        completed, of the 1,000 seen last.</p>`,
  )
}

interface Compared {
  readonly level: LevelAnswer
  readonly before: LevelAnswer
  readonly change: number
  readonly low: number
  readonly high: number
}

/** Passed where the level says passed or failed, completed elsewhere. */
const rateOf = (level: LevelAnswer, isJudged: boolean) => ({
  part: Number(isJudged ? level.passed : level.completed),
  whole: Number(level.attempts),
})
const isJudged = ({ passed, failed }: LevelAnswer): boolean => passed + failed > 0n

/** Levels that both builds have, the one that changed most first. */
export function compared(before: GetAnswersResponse, now: GetAnswersResponse): Compared[] {
  const known = new Map(before.levels?.levels.map((level) => [level.activityId, level]))
  return (now.levels?.levels ?? [])
    .flatMap((level) => {
      const other = known.get(level.activityId)
      if (!other || level.wholeGame || other.attempts === 0n || level.attempts === 0n) return []
      const judged = isJudged(level) || isJudged(other)
      return [{ level, before: other, ...difference(rateOf(other, judged), rateOf(level, judged)) }]
    })
    .toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change))
}

/** Whether the newest build is better than the one before it; undefined: there are no two. */
export function buildsCard(
  { game, view, name }: Asked,
  [now, before]: readonly [AnswerBuild, AnswerBuild],
  answers: readonly [now: GetAnswersResponse, before: GetAnswersResponse],
): Html {
  const levels = compared(answers[1], answers[0])
  const points = (share: number) => `${share > 0 ? '+' : share < 0 ? '−' : ''}${Math.round(Math.abs(share) * 100)}`
  const rate = (level: LevelAnswer, other: LevelAnswer) => {
    const { part, whole } = rateOf(level, isJudged(level) || isJudged(other))
    return percentOf(part, whole)
  }
  const row = ({ level, before, change, low, high }: Compared) =>
    html`<tr><th scope="row">${name(level)}</th><td class="number">${rate(before, level)} → ${rate(
      level,
      before,
    )}</td><td class="number${low > 0 ? ' is-reached' : high < 0 ? ' is-stuck' : ''}">${points(change)} (${points(
      low,
    )} to ${points(high)})</td></tr>`
  const href = dataPath(game, 'data/progress', { ...view, build: now.number, compare: before.number })
  return card(
    'newest',
    'Is the new build better?',
    html`<p class="answer">${verdict(levels, name)}</p>
        ${
          levels.length > 0 &&
          html`<table class="brief"><thead class="visually-hidden"><tr><th scope="col">Level</th><th
          scope="col">Attempts that pass</th><th scope="col">Difference in points</th></tr></thead>
          <tbody>${levels.slice(0, mostRows).map(row)}</tbody></table>`
        }
        <p class="hint">Attempts that pass, ${before.name} → ${now.name}. In brackets: where the difference lies, in
        95 of 100 such comparisons. <a href="${href}">Compare the two builds</a></p>`,
  )
}

/** In a sentence. */
export function verdict(levels: readonly Compared[], name: Asked['name']): string {
  const better = levels.find(({ low }) => low > 0)
  const worse = levels.find(({ high }) => high < 0)
  const at = (one: Compared) => name(one.level)
  if (better && worse) return `Better at ${at(better)}, worse at ${at(worse)}.`
  if (better) return `Yes, at ${at(better)}. No level is worse.`
  if (worse) return `No: ${at(worse)} is worse.`
  return levels.length > 0 ? 'Not yet known: each difference could be chance.' : 'Both builds have no level in common.'
}

/** What is refused most. */
export function refusedCard({ game, view }: Asked, { rejections }: GetAnswersResponse): Html | undefined {
  const all = rejections?.rejections ?? []
  if (all.length === 0) return undefined
  return card(
    'refused',
    'What is refused?',
    html`<p class="answer">${counted(rejections!.count, 'request')}: the game sends what cannot be stored.</p>
        <table class="brief"><thead class="visually-hidden"><tr><th scope="col">Reason</th><th
        scope="col">Count</th></tr></thead><tbody>${all
          .slice(0, 3)
          .map(
            ({ message, reason, count }) =>
              html`<tr><th scope="row">${message || reason}</th><td class="number is-stuck">${amount(
                Number(count),
              )}</td></tr>`,
          )}</tbody></table>
        <p class="hint"><a
        href="${dataPath(game, 'data/problems', view)}">All that was refused, and what to do</a></p>`,
  )
}
