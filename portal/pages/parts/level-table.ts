import type { LearnerLevel } from '../../../gen/lrs/v1/learners_pb.js'
import { moment } from './amount.ts'
import { describe, lengthText, type NamedGame } from './describe.ts'
import { html, type Html } from '../../web/html.ts'

/** What the words of attempts mean, for those who meet them. */
export const attemptWords = `An attempt lasts from a start to the next one. Completed: it reached its end. Passed or
  failed: what the game said last. Abandoned: none of these, or still under way. Time: what the game says, else from
  start to end; more than 24 hours do not count.`

export interface LevelTable {
  readonly heading: string
  readonly game: NamedGame
  readonly languages?: readonly string[]
  /** Where each level leads; undefined: nowhere. */
  readonly linkOf?: (activityId: string) => string
  /** After the meaning of the words. */
  readonly more?: Html | false
}

/** What a learner did in each level; undefined: in none. */
export function levelTable(levels: readonly LearnerLevel[], table: LevelTable): Html | undefined {
  const { heading, game, languages = [], linkOf, more } = table
  if (levels.length === 0) return undefined
  const nameOf = ({ activityId, name }: LearnerLevel): Html | string => {
    const definition = name === '' ? {} : { name: JSON.parse(name) as object }
    const { what } = describe({ object: { id: activityId, definition } }, languages, game)
    return linkOf === undefined ? what : html`<a href="${linkOf(activityId)}">${what}</a>`
  }
  return html`<section aria-labelledby="levels"><h2 id="levels">${heading}</h2>
      <div class="table" role="region" aria-label="Table of levels" tabindex="0"><table class="stack"><thead><tr><th
      scope="col">Level</th>${Object.keys(columns).map(
        (name) => html`<th scope="col" class="number">${name}</th>`,
      )}<th scope="col">Last</th></tr></thead>
      <tbody>${levels.map(
        (level) =>
          html`<tr><th scope="row">${nameOf(level)}</th>${Object.entries(columns).map(
            ([name, valueOf]) => html`<td class="number" data-heading="${name}">${valueOf(level)}</td>`,
          )}<td data-heading="Last">${moment(level.lastSeen / 1_000_000n)}</td></tr>`,
      )}</tbody></table></div>
      <details class="figures"><summary>What the words mean</summary><p class="hint">${attemptWords}${more}</p></details></section>`
}

const percent = (score: number | undefined) => (score === undefined ? '' : `${Math.round(score * 1000) / 10} %`)

const columns: Readonly<Record<string, (level: LearnerLevel) => string | number>> = {
  Attempts: ({ attempts }) => attempts,
  Completed: ({ completed }) => completed,
  Passed: ({ passed }) => passed,
  Failed: ({ failed }) => failed,
  Abandoned: ({ abandoned }) => abandoned,
  'Best score': ({ best }) => percent(best),
  'Last score': ({ lastScore }) => percent(lastScore),
  Time: ({ seconds }) => (seconds > 0 ? lengthText(seconds) : ''),
}
