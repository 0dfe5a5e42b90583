import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { DeliveryState, WebhookState, type Delivery, type Webhook } from '../../../gen/lrs/v1/webhooks_pb.js'
import { statementsStored } from '../../../shared/webhook-events.ts'
import { html, type Html } from '../../web/html.ts'
import { isDeveloper, type Visit } from '../../web/visit.ts'
import { counted, moment } from '../parts/amount.ts'
import { hidden, postForm, problem, question, submit } from '../parts/form.ts'
import { factsOf } from '../parts/facts.ts'
import { connectionLayout } from './connection-layout.ts'
import { filterFacts } from './filter-fields.ts'
import type { Sent } from './form-parts.ts'
import { webhookBadge, webhookPath } from './webhooks.ts'

interface Shown extends Sent {
  readonly done?: string | undefined
}

/** One webhook: what it does, its settings, its last deliveries. */
export function webhookPage(
  visit: Visit,
  game: Game,
  webhook: Webhook,
  deliveries: readonly Delivery[],
  { failure, done }: Shown = {},
): Html {
  const path = webhookPath(game, webhook)
  const mayChange = isDeveloper(visit)
  return connectionLayout(
    visit,
    game,
    webhook.settings!.name,
    html`${problem(failure)}
      <section class="card" aria-labelledby="now"><h2 id="now">Now</h2>${nowOf(webhook)}
        ${mayChange && actions(visit, path, webhook)}</section>
      <section class="card" aria-labelledby="settings"><h2 id="settings">Settings</h2>${settingsOf(webhook)}
        ${
          mayChange &&
          html`<div class="actions"><a class="button quiet" href="${path}/change">Change</a>
          <a class="button quiet" href="${path}/rotate">New secret…</a>
          <a class="button danger" href="${path}/remove">Remove…</a></div>`
        }</section>
      ${deliveriesOf(game, webhook, deliveries)}`,
    { done, aside: webhookBadge(webhook) },
  )
}

function nowOf({ problem, pending, lastDelivered, oldSecretUntil, created, state }: Webhook): Html {
  return html`${problem !== '' && html`<p class="notice ${state === WebhookState.OFF ? 'bad' : 'warn'}">${problem}</p>`}
    ${factsOf([
      ['Waiting', counted(BigInt(pending), 'delivery', 'deliveries')],
      ['Last delivered', lastDelivered === 0n ? 'nothing yet' : moment(lastDelivered)],
      ...(oldSecretUntil === 0n ? [] : ([['Old secret signs until', moment(oldSecretUntil)]] as const)),
      ['Added', moment(created)],
    ])}`
}

function actions(visit: Visit, path: string, { state }: Webhook): Html {
  const isOn = state === WebhookState.RUNNING || state === WebhookState.FAILING
  const pause = html`${hidden('paused', isOn ? 'yes' : 'no')}${submit(isOn ? 'Pause' : 'Resume', {
    className: isOn ? 'quiet' : '',
  })}`
  return html`<div class="actions">${isOn && postForm(visit, `${path}/test`, submit('Send a test event'))}
    ${postForm(visit, `${path}/pause`, pause)}</div>`
}

function settingsOf({ settings }: Webhook): Html {
  const { url, events } = settings!
  return factsOf([
    ['Address', html`<code>${url}</code>`],
    ['Events', events.join(', ')],
    ...(events.includes(statementsStored) ? filterFacts(settings!) : []),
  ])
}

function deliveriesOf(game: Game, webhook: Webhook, deliveries: readonly Delivery[]): Html {
  const row = (delivery: Delivery): Html =>
    html`<tr><th scope="row"><a href="${deliveryPath(game, webhook, delivery)}">${moment(delivery.created, 'second')}</a></th>
      <td data-heading="Event">${delivery.type}${
        delivery.statements > 0 &&
        html`<span class="endpoint">${counted(BigInt(delivery.statements), 'statement')}</span>`
      }</td><td data-heading="State">${deliveryBadge(delivery)}</td>
      <td data-heading="Answer">${answerOf(delivery)}${nextTry(delivery)}</td></tr>`
  return html`<section aria-labelledby="deliveries"><h2 id="deliveries">Last deliveries</h2>${
    deliveries.length === 0
      ? html`<p class="muted">Nothing yet.</p>`
      : html`<div class="table"><table class="stack"><thead><tr><th scope="col">Created</th><th scope="col">Event</th>
        <th scope="col">State</th><th scope="col">Answer</th></tr></thead><tbody>${deliveries.map(row)}</tbody></table></div>`
  }</section>`
}

const deliveryPath = (game: Game, webhook: Webhook, { deliveryId }: Delivery): string =>
  `${webhookPath(game, webhook)}/deliveries/${deliveryId}`

function deliveryBadge({ state, attempts }: Delivery): Html {
  if (state === DeliveryState.DELIVERED) return html`<span class="badge good">Delivered</span>`
  if (state === DeliveryState.GIVEN_UP) return html`<span class="badge bad">Given up</span>`
  return attempts === 0 ? html`<span class="badge">Waits</span>` : html`<span class="badge warn">Tried again</span>`
}

const answerOf = ({ status, problem }: Delivery): string =>
  status > 0 ? String(status) : problem === '' ? '–' : problem

const nextTry = ({ state, nextAttempt }: Delivery): Html | false =>
  state === DeliveryState.PENDING &&
  nextAttempt > 0n &&
  html`<span class="endpoint">next try ${moment(nextAttempt, 'second')}</span>`

/** One delivery: what is sent, and what was answered. */
export function deliveryPage(visit: Visit, game: Game, webhook: Webhook, delivery: Delivery, body: string): Html {
  const { deliveryId, type, attempts, lastAttempt, nextAttempt, answer, state } = delivery
  const path = deliveryPath(game, webhook, delivery)
  const shown = body.length > longest ? `${body.slice(0, longest)}…` : body
  return connectionLayout(
    visit,
    game,
    type,
    html`
      <section class="card" aria-label="The delivery">${factsOf([
        ['webhook-id', html`<code>${deliveryId}</code>`],
        ['Attempts', String(attempts)],
        ...(lastAttempt === 0n ? [] : ([['Last attempt', moment(lastAttempt, 'second')]] as const)),
        ...(nextAttempt === 0n ? [] : ([['Next attempt', moment(nextAttempt, 'second')]] as const)),
        ['Answer', answerOf(delivery)],
      ])}${
        isDeveloper(visit) &&
        postForm(
          visit,
          `${path}/repeat`,
          submit(state === DeliveryState.PENDING ? 'Send now' : 'Repeat', { className: 'quiet' }),
        )
      }</section>
      <section class="card"><h2 id="sent">What is sent</h2>
        <p class="hint">As it is when it is sent now: statements that were erased are not in it.</p>
        <pre tabindex="0" role="region" aria-labelledby="sent"><code>${shown}</code></pre></section>
      ${
        answer !== '' &&
        html`<section class="card"><h2 id="answered">What was answered</h2>
        <pre tabindex="0" role="region" aria-labelledby="answered"><code>${answer}</code></pre></section>`
      }`,
    {
      above: [{ href: webhookPath(game, webhook), text: webhook.settings!.name }],
      aside: deliveryBadge(delivery),
    },
  )
}

/** Characters of a body on a page. */
const longest = 20_000

/** The secret, for the only time. */
export function webhookSecretPage(visit: Visit, game: Game, webhook: Webhook, secret: string): Html {
  const path = webhookPath(game, webhook)
  return connectionLayout(
    visit,
    game,
    'The secret of the webhook',
    html`<div class="notice warn" role="status"><p><strong>Copy it now.</strong> It is shown only once. Your server
      verifies with it that calls come from here.</p></div>
      <section class="card" aria-label="Secret"><dl class="facts secret"><dt>Secret</dt><dd><span class="copied"><code
        id="secret-text">${secret}</code> <button type="button" class="quiet small" data-copy="secret-text"
        hidden>Copy<span class="visually-hidden"> secret</span></button></span></dd></dl></section>
      <p class="actions"><a class="button" href="${path}">I have saved it</a></p>`,
    { scripts: ['copy.js'], above: [{ href: path, text: webhook.settings!.name }] },
  )
}

/** Asks before a secret is replaced, or a webhook ends. */
export function askPage(visit: Visit, game: Game, webhook: Webhook, what: 'rotate' | 'remove'): Html {
  const path = webhookPath(game, webhook)
  const { name, url } = webhook.settings!
  const text =
    what === 'rotate'
      ? html`<p>A new secret is made and shown once. For 24 hours both secrets sign, so that your server can change
          without missing anything.</p>
          ${
            webhook.oldSecretUntil > 0n &&
            html`<p class="notice warn">There was a new secret less than 24 hours ago, and the one before it still signs
          until ${moment(webhook.oldSecretUntil)}. Another one ends that oldest secret at once: only the newest two
          sign.</p>`
          }`
      : html`<p>Nothing more is sent to <strong>${name}</strong> (<code>${url}</code>). Its secret and its deliveries
          are forgotten.</p><p>To stop for a while only, pause it.</p>`
  return connectionLayout(
    visit,
    game,
    what === 'rotate' ? 'A new secret' : 'Remove the webhook',
    question(visit, `${path}/${what}`, text, what === 'rotate' ? 'Make and show it' : 'Remove it', path, {
      className: what === 'rotate' ? '' : 'danger',
    }),
    { above: [{ href: path, text: name }] },
  )
}
