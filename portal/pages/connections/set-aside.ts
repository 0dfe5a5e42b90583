import type { Forward, SetAside } from '../../../gen/lrs/v1/forwards_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { amount } from '../../charts/words.ts'
import { html, type Html } from '../../web/html.ts'
import { isDeveloper, isOwner, type Visit } from '../../web/visit.ts'
import { moment } from '../parts/amount.ts'
import { postForm } from '../parts/form.ts'
import { forwardPath } from './connection-layout.ts'

/** Reasons come from the target; a page of 100 stays small. */
const longest = 250

/** What somebody has to see to: statements that the target did not take, and erasures that it cannot be told of. */
export function setAsideSections(visit: Visit, game: Game, forward: Forward, list: readonly SetAside[]): Html {
  const erasures = list.filter(({ statementId }) => statementId === '')
  const statements = list.filter(({ statementId }) => statementId !== '')
  return html`${erasures.length > 0 && erasedSection(visit, forward, erasures)}${
    statements.length > 0 && statementsSection(visit, game, forward, statements)
  }`
}

/** Learners who were erased here, and statements that were deleted; the target may have them. */
const erasedSection = (visit: Visit, { gameId, forwardId }: Forward, erasures: readonly SetAside[]): Html => html`
      <section class="card" aria-labelledby="erased"><h2 id="erased">Erased learners and deleted
      statements</h2><ul>${erasures.map(({ reason, at, deletionId }) => {
        const ids = `/games/${gameId}/deletions/${deletionId}/ids?forward=${forwardId}`
        return html`<li>${moment(at)}: ${reason}${deletionId !== '' && isOwner(visit) && html` <a href="${ids}">Their ids</a>`}</li>`
      })}</ul></section>`

const cut = (reason: string): string => (reason.length > longest ? `${reason.slice(0, longest)}…` : reason)

function statementsSection(visit: Visit, game: Game, forward: Forward, list: readonly SetAside[]): Html {
  const total = Number(forward.setAside)
  const row = ({ statementId, stored, reason, at }: SetAside) =>
    html`<tr><th scope="row"><a href="${statementPath(game, forward, statementId)}"><span class="visually-hidden"
        >Statement ${statementId.slice(0, 8)}, stored </span>${moment(Number(stored) / 1_000_000, 'second')}</a></th>
        <td data-heading="Reason" class="reason">${cut(reason)}</td><td data-heading="Set aside">${moment(at)}</td></tr>`
  return html`<section aria-labelledby="aside"><h2 id="aside">Set aside</h2>
      <p>The target refused these statements, or this forward cannot send them. The others are sent. Mend the cause,
      then
      try again.</p>
      <div class="table"><table class="stack"><thead><tr><th scope="col">Statement, stored</th><th
      scope="col">Reason</th>
        <th scope="col">Set aside</th></tr></thead><tbody>${list.map(row)}</tbody></table></div>
      ${total > list.length && html`<p class="hint">These are the newest ${list.length} of ${amount(total)}.</p>`}
      ${
        isDeveloper(visit) &&
        postForm(
          visit,
          `${forwardPath(game, forward)}/retry`,
          html`<div class="actions"><button class="quiet">Try all of them again</button></div>`,
        )
      }</section>`
}

const statementPath = (game: Game, { settings }: Forward, statementId: string): string =>
  `/games/${game.summary!.gameId}/statements/${statementId}${settings!.sandbox ? '?from=sandbox' : ''}`
