import type { LearnerLevel } from '../../../gen/lrs/v1/learners_pb.js'
import { describe, lengthText, type NamedGame } from './describe.ts'
import { html, type Html } from '../../web/html.ts'

/** What a learner did in each level; undefined: in none. */
export function levelTable(levels: readonly LearnerLevel[], game: NamedGame, heading: string): Html | undefined {
  if (levels.length === 0) return undefined
  const nameOf = (id: string, name: string) =>
    describe({ object: { id, definition: name === '' ? {} : { name: JSON.parse(name) as object } } }, [], game).what
  return html`<section aria-labelledby="levels"><h2 id="levels">${heading}</h2>
      <div class="table"><table class="stack"><thead><tr><th scope="col">Level</th>
      <th scope="col" class="number">Attempts</th><th scope="col" class="number">Completed</th>
      <th scope="col" class="number">Best score</th><th scope="col" class="number">Time</th></tr></thead>
      <tbody>${levels.map(
        ({ activityId, name, attempts, completed, best, seconds }) =>
          html`<tr><th scope="row">${nameOf(activityId, name)}</th>
          <td class="number" data-heading="Attempts">${attempts}</td>
          <td class="number" data-heading="Completed">${completed}</td>
          <td class="number" data-heading="Best score">${best !== undefined && `${Math.round(best * 1000) / 10} %`}</td>
          <td class="number" data-heading="Time">${seconds > 0 && lengthText(seconds)}</td></tr>`,
      )}</tbody></table></div></section>`
}
