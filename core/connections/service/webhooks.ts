import { create } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { DeliveryState, WebhookState, WebhookService, WebhookSettingsSchema } from '../../../gen/lrs/v1/webhooks_pb.js'
import { noGame } from '../../records/access/no-game.ts'
import {
  addWebhook,
  changeWebhook,
  noDelivery,
  pauseWebhook,
  removeWebhook,
  repeatDelivery,
  rotateWebhook,
  testWebhook,
  webhookOf,
} from '../command/webhooks.ts'
import type { Core } from '../../context.ts'
import { webhookBody } from '../query/webhook-body.ts'
import type { Delivery } from '../store/webhook-deliveries.ts'
import type { Webhook } from '../store/webhooks.ts'
import { messageId, uuidOfMessage } from '../rules/webhook.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'
import { Problem } from '../../process/problem.ts'
import { callOf } from '../../process/methods/call.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, ofGame, hostOf, hosts } from '../../process/methods/audit-entries.ts'
import { studioOf } from '../../process/methods/developer.ts'

/** The webhook that the call changes, and the studio that owns its game. */
async function concerned(core: Core, webhookId: string, context: HandlerContext) {
  const studio = await studioOf(core, context)
  const { gameId, url } = await webhookOf(core, studio, webhookId)
  callOf(context).told = { subject: { kind: 'game', id: gameId }, details: hosts(url, url) }
  return { studio, url }
}

const ofWebhook = (action: string) => ({
  action,
  details: ({ webhookId }: { webhookId: string }, done?: object) => ({ webhook: done && webhookId }),
})

/** Tells other systems what happens in a game. */
export const webhookService = service(WebhookService, {
  listWebhooks: method({ right: 'analyst', audit: reads }, async (core, request, context) => {
    const studio = await studioOf(core, context)
    const gameId = uuidParameter(request.gameId, 'gameId')
    if (gameId === undefined && studio !== undefined) throw new Problem('gameId', 'must be the UUID of a game')
    if (gameId !== undefined && !(await core.store.games.tenants(gameId, studio))) throw noGame()
    return { webhooks: (await core.store.webhooks.list(gameId, studio)).map(webhookMessage) }
  }),
  getWebhook: method({ right: 'analyst', audit: reads }, async (core, { webhookId }, context) => {
    const studio = await studioOf(core, context)
    const webhook = await webhookOf(core, studio, webhookId)
    const deliveries = await core.store.webhookDeliveries.list(webhook.id)
    return { webhook: webhookMessage(webhook), deliveries: deliveries.map((one) => deliveryMessage(one, studio)) }
  }),
  addWebhook: method(
    {
      right: 'developer',
      audit: {
        ...ofGame('webhook.add'),
        details: ({ settings }, done) => ({
          webhook: done?.webhook?.webhookId,
          events: settings?.events.length,
          host: hostOf(settings?.url, done),
        }),
      },
    },
    async (core, { gameId, settings, since }, context) => {
      const given = { gameId, settings: settings ?? create(WebhookSettingsSchema), since }
      const { webhook, secret } = await addWebhook(core, await studioOf(core, context), given)
      return { webhook: webhookMessage(webhook), secret }
    },
  ),
  changeWebhook: method(
    { right: 'developer', audit: ofWebhook('webhook.change') },
    async (core, { webhookId, settings }, context) => {
      const given = { webhookId, settings: settings ?? create(WebhookSettingsSchema) }
      const { studio, url } = await concerned(core, webhookId, context)
      const changed = await changeWebhook(core, studio, given)
      callOf(context).told = { ...callOf(context).told, details: hosts(url, changed.url) }
      return { webhook: webhookMessage(changed) }
    },
  ),
  rotateWebhookSecret: method(
    { right: 'developer', audit: ofWebhook('webhook.rotate-secret') },
    async (core, { webhookId }, context) => {
      const { secret, until } = await rotateWebhook(core, (await concerned(core, webhookId, context)).studio, webhookId)
      return { secret, oldSecretUntil: until }
    },
  ),
  testWebhook: method(
    { right: 'developer', audit: ofWebhook('webhook.test') },
    async (core, { webhookId }, context) => {
      return { deliveryId: await testWebhook(core, (await concerned(core, webhookId, context)).studio, webhookId) }
    },
  ),
  pauseWebhook: method(
    {
      right: 'developer',
      audit: {
        action: 'webhook.pause',
        details: ({ webhookId, paused }, done) => ({ webhook: done && webhookId, paused }),
      },
    },
    async (core, { webhookId, paused }, context) =>
      pauseWebhook(core, (await concerned(core, webhookId, context)).studio, webhookId, paused),
  ),
  getDelivery: method({ right: 'analyst', audit: reads }, async (core, { webhookId, deliveryId }, context) => {
    const studio = await studioOf(core, context)
    const { id, gameId } = await webhookOf(core, studio, webhookId)
    const message = uuidOfMessage(deliveryId)
    const delivery = message === undefined ? undefined : await core.store.webhookDeliveries.find(id, message)
    if (!delivery) throw noDelivery()
    const body = await webhookBody(core, gameId, delivery)
    return { delivery: deliveryMessage(delivery, studio), body: body.toString() }
  }),
  repeatDelivery: method({ right: 'developer', audit: ofWebhook('webhook.repeat') }, async (core, request, context) =>
    repeatDelivery(core, (await concerned(core, request.webhookId, context)).studio, request),
  ),
  removeWebhook: method(
    { right: 'developer', audit: ofWebhook('webhook.remove') },
    async (core, { webhookId }, context) =>
      removeWebhook(core, (await concerned(core, webhookId, context)).studio, webhookId),
  ),
})

const states = { on: WebhookState.RUNNING, paused: WebhookState.PAUSED, off: WebhookState.OFF } as const

const webhookMessage = (webhook: Webhook) => ({
  ...webhook,
  settings: { ...webhook, ...webhook.filter },
  state: webhook.state === 'on' && webhook.failures > 0 ? WebhookState.FAILING : states[webhook.state],
})

/** @param studio undefined: for an admin, who also sees what was answered in networks of the operator */
const deliveryMessage = (delivery: Delivery, studio: number | undefined) => ({
  ...delivery,
  deliveryId: messageId(delivery.message),
  state: delivery.delivered
    ? DeliveryState.DELIVERED
    : delivery.ended > 0
      ? DeliveryState.GIVEN_UP
      : DeliveryState.PENDING,
  answer: delivery.internal && studio !== undefined ? '' : delivery.answer,
  nextAttempt: delivery.ended > 0 || delivery.attempts === 0 ? 0 : delivery.nextAttempt,
})
