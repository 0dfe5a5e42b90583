import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { WebhookState, type Webhook } from '../../../gen/lrs/v1/webhooks_pb.js'
import { html, type Html } from '../../web/html.ts'
import { isDeveloper, type Visit } from '../../web/visit.ts'
import { moment } from '../parts/amount.ts'
import { connectionsPath } from './connection-layout.ts'

/** The address of one webhook. */
export const webhookPath = (game: Game, { webhookId }: Pick<Webhook, 'webhookId'>): string =>
  `${connectionsPath(game)}/webhooks/${webhookId}`

/** What a webhook does, in a word or two. */
export function webhookBadge({ state, pending }: Pick<Webhook, 'state' | 'pending'>): Html {
  switch (state) {
    case WebhookState.FAILING:
      return html`<span class="badge warn">Failing</span>`
    case WebhookState.PAUSED:
      return html`<span class="badge">Paused</span>`
    case WebhookState.OFF:
      return html`<span class="badge bad">Turned off</span>`
    default:
      return html`<span class="badge good">${pending > 0 ? 'Sending' : 'Up to date'}</span>`
  }
}

/** The addresses that are told what happens in a game. */
export function webhooksSection(visit: Visit, game: Game, webhooks: readonly Webhook[]): Html {
  const add = `${connectionsPath(game)}/webhooks/new`
  const mayAdd = isDeveloper(visit)
  if (webhooks.length === 0)
    return html`<section aria-labelledby="webhooks"><div class="section-head"><h2 id="webhooks">Webhooks</h2></div>
        <div class="card none-yet"><p>A webhook calls an address of yours when something happens: statements arrive, a
        review is decided, a build is uploaded, a quota is nearly used up, a learner is erased. Each call is signed, and
        repeated until your server takes it.</p>
        ${
          mayAdd
            ? html`<a class="button" href="${add}">Add a webhook</a>`
            : html`<p class="muted">A developer of the studio can add it.</p>`
        }</div></section>`
  const row = (webhook: Webhook): Html => {
    const { settings, problem, lastDelivered } = webhook
    return html`<tr><th scope="row"><a href="${webhookPath(game, webhook)}">${settings!.name}</a>
          <span class="endpoint">${URL.parse(settings!.url)?.host ?? ''}</span></th>
          <td data-heading="State">${webhookBadge(webhook)}${problem !== '' && html`<p class="hint">${problem}</p>`}</td>
          <td data-heading="Events">${settings!.events.join(', ')}</td>
          <td data-heading="Last delivered">${lastDelivered === 0n ? 'nothing yet' : moment(lastDelivered)}</td></tr>`
  }
  return html`<section aria-labelledby="webhooks"><div class="section-head"><h2 id="webhooks">Webhooks</h2>
        ${mayAdd && html`<a class="button small" href="${add}">Add a webhook</a>`}</div>
      <div class="table"><table class="stack"><thead><tr><th scope="col">To</th><th scope="col">State</th>
        <th scope="col">Events</th><th scope="col">Last delivered</th></tr></thead>
        <tbody>${webhooks.map(row)}</tbody></table></div></section>`
}
