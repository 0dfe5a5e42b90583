import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { isNext, stepsOf } from '../parts/game-steps.ts'

/** The steps from a draft to data. Steps that are done have a mark; the first other one is next. */
export function checklistPage(visit: Visit, game: Game, done?: string): Html {
  const steps = stepsOf(game)
  const next = steps.findIndex(isNext)
  const list = steps.map(
    ({ title, text, isDone, canWait, link }, index) => html`
    <li class="${isDone ? 'done' : index === next ? 'next' : canWait ? 'open' : 'later'}"${index === next && html` aria-current="step"`}>
      <h2>${title}${isDone && html`<span class="visually-hidden"> (done)</span>`}</h2>
      <p>${text}</p>
      ${link && html`<a class="button small${index !== next && ' quiet'}" href="${link.href}">${link.text}</a>`}
    </li>`,
  )
  return gameLayout(visit, game, 'Checklist', html`<div class="card"><ol class="steps">${list}</ol></div>`, { done })
}
