import type { Forward, SetAside } from '../../../gen/lrs/v1/forwards_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { amount } from '../../charts/words.ts'
import { html, type Html } from '../../html.ts'
import { isDeveloper, type Visit } from '../../visit.ts'
import { moment } from '../parts/amount.ts'
import { postForm } from '../parts/form.ts'
import { forwardPath } from './connection-layout.ts'

/** Reasons come from the target; a page of 100 stays small. */
const longest = 200

/** The statements that the target did not take, with its reasons. */
export function setAsideSection(
  visit: Visit,
  game: Game,
  forward: Forward,
  list: readonly SetAside[],
): Html | undefined {
  if (list.length === 0) return undefined
  const total = Number(forward.setAside)
  const row = ({ statementId, stored, reason, at }: SetAside) =>
    html`<tr><th scope="row"><a href="${statementPath(game, forward, statementId)}"><span class="visually-hidden"
        >Statement ${statementId.slice(0, 8)}, stored </span>${moment(Number(stored) / 1_000_000, 'second')}</a></th>
        <td data-heading="Reason" class="reason">${
          reason.length > longest ? `${reason.slice(0, longest)}…` : reason
        }</td><td data-heading="Set aside">${moment(at)}</td></tr>`
  return html`<section aria-labelledby="aside"><h2 id="aside">Set aside</h2>
      <p>The target did not take these statements. The others go on. When the cause is mended, there or in the settings,
      try them again.</p>
      <div class="table"><table class="stack"><thead><tr><th scope="col">Statement, stored</th><th scope="col">Reason</th>
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
