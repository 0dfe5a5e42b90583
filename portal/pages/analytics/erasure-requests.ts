import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { LearnerErasureRequest } from '../../../gen/lrs/v1/own_data_pb.js'
import { html, type Html } from '../../web/html.ts'
import { isOwner, type Visit } from '../../web/visit.ts'
import { moment } from '../parts/amount.ts'
import { dataPath, type DataView } from '../parts/data-view.ts'
import { postForm, problem, submit, textarea } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { learnerPath } from './learners.ts'

const outcomes: Readonly<Record<string, string>> = {
  erased: 'erased',
  refused: 'refused',
  'taken-back': 'taken back by the learner',
}

/** The requests of learners to erase their data: those that wait first. */
export function erasureRequests(
  visit: Visit,
  game: Game,
  requests: readonly LearnerErasureRequest[],
): Html | undefined {
  if (requests.length === 0) return undefined
  const isWaiting = ({ request }: LearnerErasureRequest) => request!.outcome === ''
  const waiting = requests.filter(isWaiting)
  const past = requests.filter((one) => !isWaiting(one))
  return html`<section class="card" aria-labelledby="requests"><h2 id="requests">Requests for an erasure</h2>
      ${
        waiting.length > 0
          ? html`<p>${
              isOwner(visit)
                ? 'Erase the data, or refuse with a reason that the learner sees.'
                : 'An owner of the studio decides.'
            } Without a decision, the data is erased on the day that each request names.</p>
      <ul class="requests">${waiting.map((one) => waits(visit, game, one))}</ul>`
          : html`<p class="muted">No request waits for a decision.</p>`
      }
      ${
        past.length > 0 &&
        html`<details><summary>Decided: ${past.length}</summary><ul>${past.map(
          ({ request, learnerName }) =>
            html`<li>${learnerName || 'A learner'}, asked ${moment(request!.asked)}: ${outcomes[request!.outcome]}
            ${moment(request!.decided)}${
              request!.reason !== '' && html`, “${request!.reason}”`
            }${request!.receiptId !== '' && html`, receipt <code>${request!.receiptId}</code>`}</li>`,
        )}</ul></details>`
      }</section>`
}

function waits(visit: Visit, game: Game, { request, learnerName, agent }: LearnerErasureRequest): Html {
  const { requestId, asked, due } = request!
  const who =
    agent === '' ? html`a learner` : html`<a href="${learnerPath(game, { sandbox: false }, agent)}">${learnerName}</a>`
  return html`<li>${who} asked on ${moment(asked)}; erased on ${moment(due)} at the latest.
        ${
          isOwner(visit) &&
          html`<a href="/games/${game.summary!.gameId}/erasures/${requestId}">Decide<span class="visually-hidden"> on
          the request of ${learnerName}</span></a>`
        }</li>`
}

/** A form for the decision. */
export function decideErasurePage(
  visit: Visit,
  game: Game,
  view: DataView,
  requestId: string,
  failure?: Failure,
): Html {
  const { gameId, name } = game.summary!
  const action = `/games/${gameId}/erasures/${requestId}`
  return gameLayout(
    visit,
    game,
    'Decide on an erasure',
    html`
      ${problem(failure, { reason: 'The reason' })}
      <section class="card" aria-labelledby="erase"><h2 id="erase">Erase</h2>
        <p>Everything that this game holds on the learner is erased now. <strong>This cannot be undone.</strong></p>
        ${postForm(
          visit,
          action,
          html`<input type="hidden" name="decision" value="erase">${submit('Erase for good', { className: 'danger' })}`,
        )}</section>
      <section class="card" aria-labelledby="refuse"><h2 id="refuse">Refuse</h2>
        ${postForm(
          visit,
          action,
          html`${textarea({
            name: 'reason',
            label: 'The reason',
            hint: 'The learner sees it. For instance: another person asked on a shared computer.',
            rows: 3,
            required: true,
            failure,
          })}${submit('Refuse')}`,
        )}</section>`,
    {
      trail: [
        { href: '/games', text: 'Games' },
        { href: `/games/${gameId}`, text: name },
        { href: dataPath(game, 'learners', view), text: 'Learners' },
      ],
    },
  )
}
