import type { LearnerLevel } from '../../../gen/lrs/v1/learners_pb.js'
import { moment } from './amount.ts'
import { describe, type NamedGame } from './describe.ts'
import { html, type Html } from '../../web/html.ts'
import { inEnglish, type Say, type TextName } from '../../web/say.ts'

export interface LevelTable {
  readonly heading: string | Html
  readonly say?: Say
  readonly game: NamedGame
  readonly languages?: readonly string[]
  /** Where each level leads; undefined: nowhere. */
  readonly linkOf?: (activityId: string) => string
  /** After the meaning of the words. */
  readonly more?: Html | false
}

/** What a learner did in each level; undefined: in none. */
export function levelTable(levels: readonly LearnerLevel[], table: LevelTable): Html | undefined {
  const { heading, game, languages = [], linkOf, more, say = inEnglish } = table
  if (levels.length === 0) return undefined
  const nameOf = ({ activityId, name }: LearnerLevel): Html | string => {
    const definition = name === '' ? {} : { name: JSON.parse(name) as object }
    const { what } = describe({ object: { id: activityId, definition } }, languages, game, say)
    return linkOf === undefined ? what : html`<a href="${linkOf(activityId)}">${what}</a>`
  }
  return html`<section aria-labelledby="levels"><h2 id="levels">${heading}</h2>
      <div class="table" role="region" aria-label="${say('levels.table')}" tabindex="0"><table class="stack"><thead><tr><th
      scope="col">${say('levels.level')}</th>${columns.map(
        ([name]) => html`<th scope="col" class="number">${say(name)}</th>`,
      )}<th scope="col">${say('levels.last')}</th></tr></thead>
      <tbody>${levels.map(
        (level) =>
          html`<tr><th scope="row">${nameOf(level)}</th>${columns.map(
            ([name, valueOf]) => html`<td class="number" data-heading="${say(name)}">${valueOf(level, say)}</td>`,
          )}<td data-heading="${say('levels.last')}">${moment(level.lastSeen / 1_000_000n)}</td></tr>`,
      )}</tbody></table></div>
      <details class="figures"><summary>${say('levels.words')}</summary><p class="hint">${say('levels.meaning')}${more}</p></details></section>`
}

const percent = (say: Say, score: number | undefined) =>
  score === undefined ? '' : say('end.percent', { share: say.number(score * 100) })

const columns: readonly [TextName, (level: LearnerLevel, say: Say) => string | number | Html][] = [
  ['levels.attempts', ({ attempts }) => attempts],
  ['levels.completed', ({ completed }) => completed],
  ['levels.passed', ({ passed }) => passed],
  ['levels.failed', ({ failed }) => failed],
  ['levels.abandoned', ({ abandoned }) => abandoned],
  ['levels.best', ({ best }, say) => percent(say, best)],
  ['levels.lastScore', ({ lastScore }, say) => percent(say, lastScore)],
  ['levels.time', ({ seconds }, say) => (seconds > 0 ? say.time(seconds) : '')],
]
