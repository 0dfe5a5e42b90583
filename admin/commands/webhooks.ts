import { DeliveryState, WebhookState, type Webhook } from '../../gen/lrs/v1/webhooks_pb.js'
import { webhookEvents } from '../../shared/webhook-events.ts'
import { command, type Declared } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { filterFacts, keptFilterOf } from '../filter.ts'
import { gameIdOf } from '../name-game.ts'
import { list, table, time, wordOf } from '../show.ts'

const which = { '<webhook>': 'id of the webhook, from "webhooks list"' }
const delivery = { '<delivery>': 'its webhook-id, from "webhooks show"' }
const yes = { '--yes': 'do it without a question' }

const pausing = (paused: boolean, about: string, example: string): Declared =>
  command({
    about,
    takes: which,
    examples: [example],
    async run({ webhooks }, { webhook: webhookId }) {
      await webhooks.pauseWebhook({ webhookId, paused })
      return { json: { webhookId, paused }, text: paused ? 'Paused.' : 'It goes on.' }
    },
  })

export const commands = {
  list: command({
    about: 'list webhooks with their state',
    takes: { '[game]': 'id or slug; default: all games' },
    examples: ['webhooks list chess', 'webhooks list --json'],
    async run(core, { game }) {
      const found = await core.webhooks.listWebhooks({ gameId: game === undefined ? '' : await gameIdOf(core, game) })
      const text = table(found.webhooks, 'There are no webhooks.', {
        id: ({ webhookId }) => webhookId,
        ...(game === undefined && { game: ({ gameId }: Webhook) => gameId }),
        name: ({ settings }) => settings!.name,
        state: ({ state }) => wordOf(WebhookState, state, ' '),
        waiting: ({ pending }) => pending,
        'last delivered (UTC)': ({ lastDelivered }) => time(lastDelivered),
        problem: ({ problem }) => problem,
      })
      return { json: found, text }
    },
  }),
  add: command({
    about: 'add a webhook and show its secret, once',
    takes: { '<game>': 'id or slug of the game' },
    options: {
      '--url <url>': { about: 'address that is called', required: true },
      '--events <types...>': {
        about: `types of events, with spaces between: ${Object.keys(webhookEvents).join(', ')}`,
        required: true,
      },
      '--name <text>': 'name for people (default: the host)',
      '--verb <iri>': 'statements.stored: only statements with this verb',
      '--activity <iri>': 'statements.stored: only statements about this activity',
      '--related': 'with --activity: find it anywhere in a statement',
      '--since <time>': 'begin with statements stored after this time, as 2026-01-01T00:00:00Z; default: now',
    },
    examples: [
      'webhooks add chess --url https://example.org/hooks --events review.approved review.rejected',
      'webhooks add chess --url https://example.org/hooks --events statements.stored --since 2026-01-01T00:00:00Z',
    ],
    async run(core, { game, since = '', name, url, events, ...filter }) {
      const settings = { name, url, events: [...events], ...keptFilterOf(filter) }
      const added = await core.webhooks.addWebhook({ gameId: await gameIdOf(core, game), settings, since })
      const text = list({ id: added.webhook!.webhookId, secret: added.secret, '': 'The secret is not shown again.' })
      return { json: added, text }
    },
  }),
  show: command({
    about: 'show a webhook with its last deliveries',
    takes: which,
    examples: ['webhooks show 6f1c…'],
    async run({ webhooks }, { webhook: webhookId }) {
      const found = await webhooks.getWebhook({ webhookId })
      const deliveries = table(found.deliveries, 'Nothing was sent yet.', {
        delivery: ({ deliveryId }) => deliveryId,
        'created (UTC)': ({ created }) => time(created),
        event: ({ type }) => type,
        state: ({ state }) => wordOf(DeliveryState, state, ' '),
        attempts: ({ attempts }) => attempts,
        answer: ({ status, problem }) => (status > 0 ? status : problem),
      })
      return { json: found, text: `${factsOf(found.webhook!)}\n\n${deliveries}` }
    },
  }),
  set: command({
    about: 'change the address or the events from now on; settings without an option stay',
    takes: which,
    options: {
      '--url <url>': 'another address',
      '--events <types...>': 'all types of events from now on, with spaces between',
      '--name <text>': 'name for people',
      '--verb <iri>': 'statements.stored: only statements with this verb; "": all',
      '--activity <iri>': 'statements.stored: only statements about this activity; "": all',
      '--related': 'find the activity anywhere in a statement',
      '--no-related': 'only as the object',
    },
    examples: ['webhooks set 6f1c… --url https://example.org/new', 'webhooks set 6f1c… --events review.approved'],
    async run({ webhooks }, { webhook: webhookId, ...changes }) {
      const old = (await webhooks.getWebhook({ webhookId })).webhook!.settings!
      const settings = {
        name: changes.name ?? old.name,
        url: changes.url ?? old.url,
        events: [...(changes.events ?? old.events)],
        ...keptFilterOf(changes, old),
      }
      const changed = await webhooks.changeWebhook({ webhookId, settings })
      return { json: changed, text: factsOf(changed.webhook!) }
    },
  }),
  delivery: command({
    about: 'show a delivery with its body',
    takes: { ...which, ...delivery },
    examples: ['webhooks delivery 6f1c… msg_0a1b…'],
    async run({ webhooks }, { webhook: webhookId, delivery: deliveryId }) {
      const found = await webhooks.getDelivery({ webhookId, deliveryId })
      const { type, state, attempts, status, problem } = found.delivery!
      const facts = list({
        event: type,
        state: wordOf(DeliveryState, state, ' '),
        attempts,
        answer: status > 0 ? status : '',
        problem,
      })
      return { json: found, text: `${facts}\n\n${found.body}` }
    },
  }),
  test: command({
    about: 'send a test event',
    takes: which,
    examples: ['webhooks test 6f1c…'],
    async run({ webhooks }, { webhook: webhookId }) {
      const { deliveryId } = await webhooks.testWebhook({ webhookId })
      return { json: { deliveryId }, text: `Under way: ${deliveryId}. "webhooks show ${webhookId}" has the answer.` }
    },
  }),
  rotate: command({
    about: 'make a new secret and show it, once; the old one signs as well for 24 hours',
    takes: which,
    options: { '--yes': 'do it without a question, if a secret before the old one still signs' },
    examples: ['webhooks rotate 6f1c…', 'webhooks rotate 6f1c… --yes'],
    async run({ webhooks }, { webhook: webhookId, yes }, session) {
      const { oldSecretUntil } = (await webhooks.getWebhook({ webhookId })).webhook!
      // only the newest two sign
      if (oldSecretUntil > 0n)
        await confirmed(session, yes, `The oldest secret signs until ${time(oldSecretUntil)} UTC. End it at once?`)
      const made = await webhooks.rotateWebhookSecret({ webhookId })
      return {
        json: made,
        text: list({ secret: made.secret, 'old secret until': `${time(made.oldSecretUntil)} UTC` }),
      }
    },
  }),
  pause: pausing(true, 'stop sending; what happens meanwhile waits', 'webhooks pause 6f1c…'),
  resume: pausing(false, 'go on after a pause, or after the webhook was turned off', 'webhooks resume 6f1c…'),
  repeat: command({
    about: 'send a delivery once more, with the same webhook-id',
    takes: { ...which, ...delivery },
    examples: ['webhooks repeat 6f1c… msg_0a1b…'],
    async run({ webhooks }, { webhook: webhookId, delivery: deliveryId }) {
      await webhooks.repeatDelivery({ webhookId, deliveryId })
      return { json: { webhookId, deliveryId }, text: 'It is sent once more.' }
    },
  }),
  remove: command({
    about: 'end a webhook, and forget its secret and its deliveries',
    takes: which,
    options: yes,
    examples: ['webhooks remove 6f1c… --yes'],
    async run({ webhooks }, { webhook: webhookId, yes }, session) {
      const { name, url } = (await webhooks.getWebhook({ webhookId })).webhook!.settings!
      await confirmed(session, yes, `Remove the webhook ${name} (${url})?`)
      await webhooks.removeWebhook({ webhookId })
      return { json: { webhookId }, text: `Removed: ${name}.` }
    },
  }),
}

const factsOf = ({ settings, state, problem, pending, lastDelivered, oldSecretUntil }: Webhook): string =>
  list({
    name: settings!.name,
    address: settings!.url,
    events: settings!.events.join(' '),
    ...filterFacts(settings!),
    state: wordOf(WebhookState, state, ' '),
    problem,
    waiting: pending,
    'last delivered': time(lastDelivered),
    'old secret until': time(oldSecretUntil),
  })
