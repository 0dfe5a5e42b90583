import type { GetAnswersResponse } from '../../../gen/lrs/v1/answers_pb.js'
import { amount } from '../../charts/words.ts'
import { html, type Html } from '../../web/html.ts'
import { counted } from '../parts/amount.ts'
import type { Choice } from '../parts/data-filters.ts'
import { dataPath } from '../parts/data-view.ts'
import type { Asked } from './asked.ts'
import { changesOf, changeText, rateText, verdict, type Change } from './changes.ts'
import { learnerPath } from './learners.ts'
import { overBuilds } from './problem-charts.ts'

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

/** Whether the newest build is better than the one before it; undefined: there are no two. */
export function buildsCard(
  { game, view, name }: Asked,
  [now, before]: readonly [Choice, Choice],
  answers: readonly [now: GetAnswersResponse, before: GetAnswersResponse],
): Html {
  const changes = changesOf(answers[1], answers[0])
  const row = (one: Change) =>
    html`<tr><th scope="row">${name(one.level)}</th><td class="number">${rateText(one.before)} → ${rateText(
      one.now,
    )}</td><td class="number${one.isCertain && (one.change > 0 ? ' is-reached' : ' is-stuck')}">${changeText(
      one,
    )}</td></tr>`
  const levels = changes.filter(({ level }) => !level.wholeGame)
  const href = dataPath(game, 'data/compare', { ...view, build: now.number, compare: before.number })
  return card(
    'newest',
    'Is the new build better?',
    html`<p class="answer">${verdict(changes, now.name, name)}</p>
        ${
          levels.length > 0 &&
          html`<table class="brief"><thead class="visually-hidden"><tr><th scope="col">Level</th><th
          scope="col">First tries that pass</th><th scope="col">Difference in points</th></tr></thead>
          <tbody>${levels.slice(0, mostRows).map(row)}</tbody></table>`
        }
        <p class="hint">First tries that pass, ${before.name} → ${now.name}, and the difference in points. In brackets:
        where it lies in 95 of 100 such comparisons. <a href="${href}">Compare the two builds</a></p>`,
  )
}

/** What is refused most. */
export function refusedCard({ game, view }: Asked, { rejections }: GetAnswersResponse): Html | undefined {
  const all = overBuilds(rejections?.rejections ?? [])
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
