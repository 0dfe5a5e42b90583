import { randomUUID } from 'node:crypto'
import { statementsStored } from '../../../shared/webhook-events.ts'
import { webhooks as limits } from '../../../shared/limits.ts'
import { placeNow } from '../../games/access/place-now.ts'
import { noGame } from '../../records/access/no-game.ts'
import { newWebhookSecret, secretPlace } from '../access/webhook-secret.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Webhook } from '../store/webhooks.ts'
import { messageId, uuidOfMessage, webhookSettings } from '../rules/webhook.ts'
import { timeParameter } from '../../records/xapi/parameters.ts'
import { countEndpoint } from './count-endpoint.ts'

type Needs = Pick<Core, 'store' | 'sealer' | 'authenticator' | 'config'>
type Settings = Parameters<typeof webhookSettings>[0]

/** Of whom the game must be; undefined: an admin acts for every game. */
type Studio = number | undefined

export const noWebhook = (): Refusal => new Refusal('not-found', 'There is no such webhook.')
export const noDelivery = (): Refusal =>
  new Refusal('not-found', 'There is no such delivery, or it is not kept any more.')

/** @throws Refusal 'not-found' */
export async function webhookOf({ store }: Pick<Core, 'store'>, studio: Studio, webhookId: string): Promise<Webhook> {
  const found = await store.webhooks.find(webhookId, studio)
  if (!found) throw noWebhook()
  return found
}

/** Begins to tell; returns the secret, which is shown once. @throws Problem, Refusal 'not-found', 'conflict' */
export async function addWebhook(
  core: Needs,
  studio: Studio,
  given: { readonly gameId: string; readonly settings: Settings; readonly since: string },
): Promise<{ webhook: Webhook; secret: string }> {
  const { store, sealer } = core
  const tenants = await store.games.tenants(given.gameId, studio)
  if (!tenants) throw noGame()
  const settings = webhookSettings(given.settings)
  const place = timeParameter(given.since, 'since') ?? (await placeNow(core, given.gameId))
  await countEndpoint(store, studio)
  const [webhookId, secret] = [randomUUID(), newWebhookSecret()]
  const sealed = sealer.seal(secretPlace(webhookId, 'secret'), secret)
  if (!(await store.webhooks.add({ webhookId, game: tenants.game, settings, secret: sealed, place })))
    throw new Refusal('conflict', `A game has ${limits.ofGame} webhooks at most: remove one first.`, {
      rule: 'limits#webhooks',
    })
  return { webhook: await webhookOf(core, studio, webhookId), secret }
}

/** What is told from now on, and where. Statements begin now, if they were not told before. @throws Problem, Refusal */
export async function changeWebhook(
  core: Needs,
  studio: Studio,
  given: { readonly webhookId: string; readonly settings: Settings },
): Promise<Webhook> {
  const before = await webhookOf(core, studio, given.webhookId)
  const settings = webhookSettings(given.settings)
  if (settings.url !== before.url) await countEndpoint(core.store, studio)
  const begins = settings.events.includes(statementsStored) && !before.events.includes(statementsStored)
  await core.store.webhooks.change(before.id, settings, begins ? await placeNow(core, before.gameId) : undefined)
  return webhookOf(core, studio, given.webhookId)
}

/** A new secret; the one before signs as well until its end. @throws Refusal 'not-found' */
export async function rotateWebhook(
  core: Needs,
  studio: Studio,
  webhookId: string,
): Promise<{ secret: string; until: number }> {
  const { sealer, store } = core
  const { id } = await webhookOf(core, studio, webhookId)
  const secret = newWebhookSecret()
  const until = await store.webhooks.rotate(id, (before) => ({
    secret: sealer.seal(secretPlace(webhookId, 'secret'), secret),
    old: sealer.seal(secretPlace(webhookId, 'old_secret'), sealer.open(secretPlace(webhookId, 'secret'), before)),
  }))
  if (until === undefined) throw noWebhook()
  return { secret, until }
}

/** Sends a test event; returns the id of its delivery. @throws Refusal 'not-found', 'conflict' */
export async function testWebhook(core: Needs, studio: Studio, webhookId: string): Promise<string> {
  const { id, state, pending } = await webhookOf(core, studio, webhookId)
  if (state !== 'on') throw new Refusal('conflict', 'The webhook is paused or turned off: resume it first.')
  if (pending >= limits.kept)
    throw new Refusal('conflict', 'Too many deliveries wait already: try again when some of them are delivered.')
  await countEndpoint(core.store, studio)
  const message = await core.store.webhookEvents.test(id)
  if (message === undefined) throw noWebhook()
  return messageId(message)
}

/** Stops, or goes on; also one that was turned off. @throws Refusal 'not-found' */
export async function pauseWebhook(core: Needs, studio: Studio, webhookId: string, paused: boolean): Promise<void> {
  const { id } = await webhookOf(core, studio, webhookId)
  await (paused ? core.store.webhooks.pause(id) : core.store.webhooks.resume(id))
}

/** Sends a delivery once more, with the same id. One that waits for its next try is sent at once. @throws Refusal 'not-found', 'conflict' */
export async function repeatDelivery(
  core: Needs,
  studio: Studio,
  { webhookId, deliveryId }: { readonly webhookId: string; readonly deliveryId: string },
): Promise<void> {
  const { webhookDeliveries } = core.store
  const { id } = await webhookOf(core, studio, webhookId)
  const message = uuidOfMessage(deliveryId)
  if (message === undefined || !(await webhookDeliveries.find(id, message))) throw noDelivery()
  if (await webhookDeliveries.repeat(id, message)) return
  await countEndpoint(core.store, studio)
  if (!(await webhookDeliveries.hasten(id, message)))
    throw new Refusal('conflict', 'It waits until the webhook is resumed.')
}

/** @throws Refusal 'not-found' */
export async function removeWebhook(core: Needs, studio: Studio, webhookId: string): Promise<void> {
  const { id } = await webhookOf(core, studio, webhookId)
  if (!(await core.store.webhooks.remove(id))) throw noWebhook()
}
