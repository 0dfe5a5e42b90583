import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { Webhook } from '../../../gen/lrs/v1/webhooks_pb.js'
import { webhookEvents } from '../../../shared/webhook-events.ts'
import { html, type Html } from '../../web/html.ts'
import type { Form, Visit } from '../../web/visit.ts'
import { errorOf, field, postForm, problem, submit } from '../parts/form.ts'
import { connectionLayout, connectionsPath } from './connection-layout.ts'
import type { Named } from '../parts/suggestions.ts'
import { filterFields, filterLabels, filterValues } from './filter-fields.ts'
import { checkbox, type Sent } from './form-parts.ts'
import { webhookPath } from './webhooks.ts'

/** The fields of the form, with the labels by which problems name them. */
const labels = { name: 'Name', url: 'Address', events: 'Events', ...filterLabels }

/** Adds a webhook, or changes one. @param old undefined: a new one */
export function webhookFormPage(visit: Visit, game: Game, sent: Sent, named: Named, old?: Webhook): Html {
  const path = old ? webhookPath(game, old) : `${connectionsPath(game)}/webhooks`
  const values = sent.values ?? (old ? ofWebhook(old) : ofNew)
  return connectionLayout(
    visit,
    game,
    old ? `Change ${old.settings!.name}` : 'Add a webhook',
    postForm(
      visit,
      old ? `${path}/change` : path,
      fields({ values, failure: sent.failure }, named, old, path, game),
      'form connection',
    ),
    {
      above: old ? [{ href: path, text: old.settings!.name }] : [],
      lead: html`This service calls your server when something happens. The calls follow the Standard Webhooks
        specification. <a href="/docs/webhooks#events">Events</a>,
        <a href="/docs/webhooks#verify">how to verify a call</a>`,
    },
  )
}

const ofNew: Form = (name) => (name.startsWith('review.') ? 'yes' : '')

function ofWebhook({ settings }: Webhook): Form {
  const { name, url, events } = settings!
  const values = { name, url, ...filterValues(settings!) }
  return (field) => (events.includes(field) ? 'yes' : (new Map(Object.entries(values)).get(field) ?? ''))
}

const fields = (
  { values, failure }: Sent & { values: Form },
  named: Named,
  old: Webhook | undefined,
  path: string,
  game: Game,
) => html`
    ${problem(failure, labels)}
    <div class="card"><h2>Where to</h2>
      ${field({
        name: 'name',
        label: labels.name,
        hint: 'For people, such as “Chat of the team”.',
        note: 'optional',
        maxLength: 100,
        value: values('name'),
        failure,
      })}
      ${field({
        name: 'url',
        label: labels.url,
        hint: 'It is called with POST and JSON. It has to answer with a status from 200 to 299 within 20 seconds.',
        placeholder: 'https://example.org/hooks',
        type: 'url',
        required: true,
        maxLength: 2_000,
        value: values('url'),
        failure,
      })}</div>
    <div class="card"><fieldset class="field"><legend>${labels.events}</legend>${errorOf('events', failure)}
      ${Object.entries(webhookEvents).map(([name, about]) => checkbox(values, name, name, about))}</fieldset></div>
    <div class="card"><h2>Which statements</h2><p class="hint">Applies to the event statements.stored only.</p>
      ${filterFields({ values, failure }, '', named)}</div>
    ${submit(old ? 'Save' : 'Add and show the secret', {
      beside: html`<a class="button quiet" href="${old ? path : connectionsPath(game)}">Cancel</a>`,
    })}`
