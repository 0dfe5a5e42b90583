import { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { webhookEvents } from '../../../shared/webhook-events.ts'
import { PageFailure } from '../../web/failure.ts'
import { ofFields } from './forward-input.ts'
import { askPage, deliveryPage, webhookPage, webhookSecretPage } from '../../pages/connections/webhook.ts'
import { webhookFormPage } from '../../pages/connections/webhook-form.ts'
import { keptFilterIn } from '../records/statement-filter.ts'
import {
  developer,
  refused,
  seeOther,
  signedIn,
  uuid,
  type Form,
  type Portal,
  type SignedIn,
  type Visit,
} from '../../web/visit.ts'
import { gameOf } from '../parts/game-of.ts'

/** Notices by the parameter `done` of the address. */
const done: Readonly<Record<string, string>> = {
  changed: 'Changed.',
  paused: 'Paused.',
  resumed: 'Resumed.',
  tested: 'A test event is under way: see the last deliveries.',
  repeated: 'It is sent once more.',
}
const doneIn = ({ query }: Visit): string | undefined =>
  Object.hasOwn(done, query('done')) ? done[query('done')] : undefined

/** Addresses that are told what happens in a game. */
export function webhooks(portal: Portal): Router {
  /** Does something to the webhook of the address, and goes to its page. */
  const act = (perform: (visit: SignedIn, webhookId: string) => Promise<string>) =>
    developer(portal, async (visit) => {
      const { webhook, game, deliveries } = await webhookOf(visit)
      const { webhookId } = webhook
      try {
        seeOther(visit, `${addressOf(visit)}/${webhookId}?done=${await perform(visit, webhookId)}`)
      } catch (error) {
        return webhookPage(visit, game, webhook, deliveries, { failure: refused(visit, error) })
      }
    })
  return Router()
    .get(
      '/games/:id/connections/webhooks/new',
      developer(portal, async (visit) => webhookFormPage(visit, await gameOf(visit), {})),
    )
    .post(
      '/games/:id/connections/webhooks',
      developer(portal, async (visit) => {
        const game = await gameOf(visit)
        try {
          const settings = settingsIn(visit.form)
          const { webhook, secret } = await visit.core.webhooks.addWebhook({ gameId: uuid(visit), settings })
          return webhookSecretPage(visit, game, webhook!, secret)
        } catch (error) {
          return webhookFormPage(visit, game, { failure: ofFields(refused(visit, error)), values: visit.form })
        }
      }),
    )
    .get(
      '/games/:id/connections/webhooks/:webhook',
      signedIn(portal, async (visit) => {
        const { game, webhook, deliveries } = await webhookOf(visit)
        return webhookPage(visit, game, webhook, deliveries, { done: doneIn(visit) })
      }),
    )
    .get(
      '/games/:id/connections/webhooks/:webhook/change',
      developer(portal, async (visit) => {
        const { game, webhook } = await webhookOf(visit)
        return webhookFormPage(visit, game, {}, webhook)
      }),
    )
    .post(
      '/games/:id/connections/webhooks/:webhook/change',
      developer(portal, async (visit) => {
        const { game, webhook } = await webhookOf(visit)
        const { webhookId } = webhook
        try {
          await visit.core.webhooks.changeWebhook({ webhookId, settings: settingsIn(visit.form) })
          seeOther(visit, `${addressOf(visit)}/${webhookId}?done=changed`)
        } catch (error) {
          return webhookFormPage(visit, game, { failure: ofFields(refused(visit, error)), values: visit.form }, webhook)
        }
      }),
    )
    .post(
      '/games/:id/connections/webhooks/:webhook/test',
      act(async ({ core }, webhookId) => {
        await core.webhooks.testWebhook({ webhookId })
        return 'tested'
      }),
    )
    .post(
      '/games/:id/connections/webhooks/:webhook/pause',
      act(async ({ core, form }, webhookId) => {
        const paused = form('paused') === 'yes'
        await core.webhooks.pauseWebhook({ webhookId, paused })
        return paused ? 'paused' : 'resumed'
      }),
    )
    .get(
      '/games/:id/connections/webhooks/:webhook/rotate',
      developer(portal, async (visit) => {
        const { game, webhook } = await webhookOf(visit)
        return askPage(visit, game, webhook, 'rotate')
      }),
    )
    .post(
      '/games/:id/connections/webhooks/:webhook/rotate',
      developer(portal, async (visit) => {
        const { game, webhook } = await webhookOf(visit)
        const { webhookId } = webhook
        const { secret } = await visit.core.webhooks.rotateWebhookSecret({ webhookId })
        return webhookSecretPage(visit, game, webhook, secret)
      }),
    )
    .get(
      '/games/:id/connections/webhooks/:webhook/remove',
      developer(portal, async (visit) => {
        const { game, webhook } = await webhookOf(visit)
        return askPage(visit, game, webhook, 'remove')
      }),
    )
    .post(
      '/games/:id/connections/webhooks/:webhook/remove',
      developer(portal, async (visit) => {
        const { webhookId } = (await webhookOf(visit)).webhook
        await visit.core.webhooks.removeWebhook({ webhookId })
        seeOther(visit, `/games/${uuid(visit)}/connections?done=removed`)
      }),
    )
    .get(
      '/games/:id/connections/webhooks/:webhook/deliveries/:delivery',
      signedIn(portal, async (visit) => {
        const { game, webhook } = await webhookOf(visit)
        const { webhookId } = webhook
        const { delivery, body } = await visit.core.webhooks.getDelivery({ webhookId, deliveryId: deliveryIn(visit) })
        return deliveryPage(visit, game, webhook, delivery!, body)
      }),
    )
    .post(
      '/games/:id/connections/webhooks/:webhook/deliveries/:delivery/repeat',
      act(async (visit, webhookId) => {
        await visit.core.webhooks.repeatDelivery({ webhookId, deliveryId: deliveryIn(visit) })
        return 'repeated'
      }),
    )
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
