import {
  AddWebhookResponseSchema,
  ChangeWebhookResponseSchema,
  DeliveryState,
  GetDeliveryResponseSchema,
  GetWebhookResponseSchema,
  ListWebhooksResponseSchema,
  RotateWebhookSecretResponseSchema,
  WebhookState,
  type Delivery,
  type Webhook,
} from '../../gen/lrs/v1/webhooks_pb.js'
import { confirmed } from '../confirm.ts'
import { filterFacts, keptFilterOf, type KeptOptions } from '../filter.ts'
import { jsonOf } from '../json-of.ts'
import { gameIdOf } from '../name-game.ts'
import type { Work } from '../session.ts'
import { list, table, time } from '../show.ts'

const word = (names: Record<number, string>, value: number): string =>
  (names[value] ?? '').toLowerCase().replace('_', ' ')

export const listWebhooks: Work<object> = async (session, [game]) => {
  const core = await session.connect()
  const found = await core.webhooks.listWebhooks({ gameId: game === undefined ? '' : await gameIdOf(core, game) })
  const isOfAll = game === undefined
  const rows = found.webhooks.map(({ webhookId, gameId, settings, state, pending, lastDelivered, problem }) => [
    webhookId,
    ...(isOfAll ? [gameId] : []),
    settings!.name,
    word(WebhookState, state),
    String(pending),
    time(lastDelivered),
    problem,
  ])
  const head = ['id', ...(isOfAll ? ['game'] : []), 'name', 'state', 'waiting', 'last delivered (UTC)', 'problem']
  return { json: jsonOf(ListWebhooksResponseSchema, found), text: table(head, rows, 'There are no webhooks.') }
}

interface Settings extends KeptOptions {
  readonly url: string
  readonly events: string[]
  readonly name?: string
  readonly since?: string
}

export const addWebhook: Work<Settings> = async (session, [game], { since, name, url, events, ...filter }) => {
  const core = await session.connect()
  const gameId = await gameIdOf(core, game!)
  const asked = { gameId, settings: { name, url, events, ...keptFilterOf(filter) }, since: since ?? '' }
  const added = await core.webhooks.addWebhook(asked)
  return {
    json: jsonOf(AddWebhookResponseSchema, added),
    text: list([
      ['id', added.webhook!.webhookId],
      ['secret', added.secret],
      ['', 'The secret is not shown again.'],
    ]),
  }
}

interface Changes extends KeptOptions {
  readonly url?: string
  readonly events?: string[]
  readonly name?: string
}

export const changeWebhook: Work<Changes> = async (session, [webhookId], changes) => {
  const { webhooks } = await session.connect()
  const old = (await webhooks.getWebhook({ webhookId: webhookId! })).webhook!.settings!
  const settings = {
    name: changes.name ?? old.name,
    url: changes.url ?? old.url,
    events: changes.events ?? old.events,
    ...keptFilterOf(changes, old),
  }
  const changed = await webhooks.changeWebhook({ webhookId: webhookId!, settings })
  return { json: jsonOf(ChangeWebhookResponseSchema, changed), text: factsOf(changed.webhook!) }
}

export const showWebhook: Work<object> = async (session, [webhookId]) => {
  const found = await (await session.connect()).webhooks.getWebhook({ webhookId: webhookId! })
  const head = ['delivery', 'created (UTC)', 'event', 'state', 'attempts', 'answer']
  const rows = found.deliveries.map(rowOf)
  return {
    json: jsonOf(GetWebhookResponseSchema, found),
    text: `${factsOf(found.webhook!)}\n\n${table(head, rows, 'Nothing was sent yet.')}`,
  }
}

const factsOf = ({ settings, state, problem, pending, lastDelivered, oldSecretUntil }: Webhook): string =>
  list([
    ['name', settings!.name],
    ['address', settings!.url],
    ['events', settings!.events.join(' ')],
    ...filterFacts(settings!),
    ['state', word(WebhookState, state)],
    ['problem', problem],
    ['waiting', String(pending)],
    ['last delivered', time(lastDelivered)],
    ['old secret until', time(oldSecretUntil)],
  ])

export const showDelivery: Work<object> = async (session, [webhookId, deliveryId]) => {
  const { webhooks } = await session.connect()
  const found = await webhooks.getDelivery({ webhookId: webhookId!, deliveryId: deliveryId! })
  const { type, state, attempts, status, problem } = found.delivery!
  const facts = list([
    ['event', type],
    ['state', word(DeliveryState, state)],
    ['attempts', String(attempts)],
    ['answer', status > 0 ? String(status) : ''],
    ['problem', problem],
  ])
  return { json: jsonOf(GetDeliveryResponseSchema, found), text: `${facts}\n\n${found.body}` }
}

const rowOf = ({ deliveryId, created, type, state, attempts, status, problem }: Delivery): string[] => [
  deliveryId,
  time(created),
  type,
  word(DeliveryState, state),
  String(attempts),
  status > 0 ? String(status) : problem,
]

export const testWebhook: Work<object> = async (session, [webhookId]) => {
  const { deliveryId } = await (await session.connect()).webhooks.testWebhook({ webhookId: webhookId! })
  return { json: { deliveryId }, text: `Under way: ${deliveryId}. "webhooks show ${webhookId}" has the answer.` }
}

export const rotateWebhook: Work<{ yes?: true }> = async (session, [webhookId], options) => {
  const { webhooks } = await session.connect()
  const { oldSecretUntil } = (await webhooks.getWebhook({ webhookId: webhookId! })).webhook!
  // only the newest two sign
  if (oldSecretUntil > 0n)
    await confirmed(session, options, `The oldest secret signs until ${time(oldSecretUntil)} UTC. End it at once?`)
  const made = await webhooks.rotateWebhookSecret({ webhookId: webhookId! })
  const text = list([
    ['secret', made.secret],
    ['old secret until', `${time(made.oldSecretUntil)} UTC`],
  ])
  return { json: jsonOf(RotateWebhookSecretResponseSchema, made), text }
}

const pausing =
  (paused: boolean): Work<object> =>
  async (session, [webhookId]) => {
    await (await session.connect()).webhooks.pauseWebhook({ webhookId: webhookId!, paused })
    return { json: { webhookId: webhookId!, paused }, text: paused ? 'Paused.' : 'It goes on.' }
  }
export const pauseWebhook = pausing(true)
export const resumeWebhook = pausing(false)

export const repeatDelivery: Work<object> = async (session, [webhookId, deliveryId]) => {
  await (await session.connect()).webhooks.repeatDelivery({ webhookId: webhookId!, deliveryId: deliveryId! })
  return { json: { webhookId: webhookId!, deliveryId: deliveryId! }, text: 'It is sent once more.' }
}

export const removeWebhook: Work<{ yes?: true }> = async (session, [webhookId], options) => {
  const { webhooks } = await session.connect()
  const { name, url } = (await webhooks.getWebhook({ webhookId: webhookId! })).webhook!.settings!
  await confirmed(session, options, `Remove the webhook ${name} (${url})?`)
  await webhooks.removeWebhook({ webhookId: webhookId! })
  return { json: { webhookId: webhookId! }, text: `Removed: ${name}.` }
}
