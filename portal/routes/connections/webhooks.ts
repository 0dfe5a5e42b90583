import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { DeliveryState } from '../../../gen/lrs/v1/webhooks_pb.js'
import { webhookEvents } from '../../../shared/webhook-events.ts'
import { PageFailure } from '../../web/failure.ts'
import { ofFields } from './forward-input.ts'
import { askPage, deliveryPage, webhookPage, webhookSecretPage } from '../../pages/connections/webhook.ts'
import { webhookFormPage } from '../../pages/connections/webhook-form.ts'
import { namedIn } from '../records/statements.ts'
import { keptFilterIn } from '../records/statement-filter.ts'
import type { Html } from '../../web/html.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { routes, type Refused } from '../../web/routes.ts'
import { notice, uuid, type Form, type Portal, type Visit } from '../../web/visit.ts'
import { gameOf } from '../parts/game-of.ts'

/** Notices by the parameter `done` of the address. */
const done: Readonly<Record<string, string>> = {
  changed: 'Changed.',
  paused: 'Paused.',
  resumed: 'Resumed.',
  tested: 'A test event is under way: see the last deliveries.',
  repeated: 'It is sent once more.',
}

/** Addresses that are told what happens in a game. */
export function webhooks(portal: Portal): Router {
  return routes(portal)
    .developer('GET /games/:id/connections/webhooks/new', showForm)
    .developer(
      'POST /games/:id/connections/webhooks',
      async (visit) => {
        const game = await gameOf(visit)
        const settings = settingsIn(visit.form)
        const { webhook, secret } = await visit.core.webhooks.addWebhook({ gameId: uuid(visit), settings })
        return webhookSecretPage(visit, game, webhook!, secret)
      },
      showForm,
    )
    .signedIn('GET /games/:id/connections/webhooks/:webhook', show)
    .developer('GET /games/:id/connections/webhooks/:webhook/change', showForm)
    .developer(
      'POST /games/:id/connections/webhooks/:webhook/change',
      async (visit) => {
        const { webhookId } = (await webhookOf(visit)).webhook
        await visit.core.webhooks.changeWebhook({ webhookId, settings: settingsIn(visit.form) })
        return `${addressOf(visit)}/${webhookId}?done=changed`
      },
      showForm,
    )
    .developer(
      'POST /games/:id/connections/webhooks/:webhook/test',
      act(async ({ core }, webhookId) => {
        await core.webhooks.testWebhook({ webhookId })
        return 'tested'
      }),
      show,
    )
    .developer(
      'POST /games/:id/connections/webhooks/:webhook/pause',
      act(async ({ core, form }, webhookId) => {
        const paused = form('paused') === 'yes'
        await core.webhooks.pauseWebhook({ webhookId, paused })
        return paused ? 'paused' : 'resumed'
      }),
      show,
    )
    .developer('GET /games/:id/connections/webhooks/:webhook/rotate', ask('rotate'))
    .developer('POST /games/:id/connections/webhooks/:webhook/rotate', async (visit) => {
      const { game, webhook } = await webhookOf(visit)
      const { webhookId } = webhook
      const { secret } = await visit.core.webhooks.rotateWebhookSecret({ webhookId })
      return webhookSecretPage(visit, game, webhook, secret)
    })
    .developer('GET /games/:id/connections/webhooks/:webhook/remove', ask('remove'))
    .developer('POST /games/:id/connections/webhooks/:webhook/remove', async (visit) => {
      const { webhookId } = (await webhookOf(visit)).webhook
      await visit.core.webhooks.removeWebhook({ webhookId })
      return `/games/${uuid(visit)}/connections?done=removed`
    })
    .signedIn('GET /games/:id/connections/webhooks/:webhook/deliveries/:delivery', async (visit) => {
      const { game, webhook } = await webhookOf(visit)
      const { webhookId } = webhook
      const { delivery, body } = await visit.core.webhooks.getDelivery({ webhookId, deliveryId: deliveryIn(visit) })
      return deliveryPage(visit, game, webhook, delivery!, body)
    })
    .developer(
      'POST /games/:id/connections/webhooks/:webhook/deliveries/:delivery/repeat',
      act(async (visit, webhookId) => {
        await visit.core.webhooks.repeatDelivery({ webhookId, deliveryId: deliveryIn(visit) })
        return 'repeated'
      }),
      show,
    )
}

async function show(visit: Visit, sent?: Sent): Promise<Html> {
  const { game, webhook, deliveries } = await webhookOf(visit)
  const told = notice(visit, done)
  // what was just asked for is answered in seconds: the page shows it by itself
  const newest = deliveries[0]
  const isDue = newest?.state === DeliveryState.PENDING && Number(newest.nextAttempt) * 1000 <= Date.now()
  if (told !== undefined && isDue) visit.response.set('Refresh', '2')
  return webhookPage(visit, game, webhook, deliveries, { ...sent, done: told })
}

async function showForm(visit: Visit, sent?: Refused): Promise<Html> {
  const { game, webhook } =
    visit.request.params['webhook'] === undefined
      ? { game: await gameOf(visit), webhook: undefined }
      : await webhookOf(visit)
  const named = await namedIn(visit, { sandbox: false })
  return webhookFormPage(visit, game, sent ? { ...sent, failure: ofFields(sent.failure) } : {}, named, webhook)
}

/** Does something to the webhook of the address, and goes to its page. */
const act =
  (perform: (visit: Visit, webhookId: string) => Promise<string>) =>
  async (visit: Visit): Promise<string> => {
    const { webhookId } = (await webhookOf(visit)).webhook
    return `${addressOf(visit)}/${webhookId}?done=${await perform(visit, webhookId)}`
  }

const ask = (what: 'rotate' | 'remove') => async (visit: Visit) => {
  const { game, webhook } = await webhookOf(visit)
  return askPage(visit, game, webhook, what)
}

const addressOf = (visit: Visit): string => `/games/${uuid(visit)}/connections/webhooks`
const deliveryIn = ({ request }: Visit): string => String(request.params['delivery']).slice(0, 64)

const settingsIn = (form: Form) => ({
  name: form('name').trim(),
  url: form('url').trim(),
  events: Object.keys(webhookEvents).filter((event) => form(event) !== ''),
  ...keptFilterIn(form),
})

/** The webhook of the address, of the game of the address. @throws PageFailure not found */
async function webhookOf(visit: Visit) {
  const webhookId = uuid(visit, 'webhook')
  const [game, { webhook, deliveries }] = await Promise.all([
    gameOf(visit),
    visit.core.webhooks.getWebhook({ webhookId }),
  ])
  if (webhook?.gameId === uuid(visit)) return { game, webhook, deliveries }
  throw new PageFailure(Reason.NOT_FOUND, 'There is no such webhook.')
}
