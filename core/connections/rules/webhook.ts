import { webhooks as limits } from '../../../shared/limits.ts'
import { isWebhookEvent, webhookEvents as types, type WebhookEvent } from '../../../shared/webhook-events.ts'
import { Problem } from '../../process/problem.ts'
import { checkAll } from '../../process/rules/check-all.ts'
import type { KeptFilter } from '../../../shared/statement-filters.ts'
import { keptFilter } from '../../records/rules/kept-filter.ts'
import { line } from '../../process/rules/text.ts'
import { say } from '../../../shared/say.ts'

/** What a studio can change of a webhook. */
export interface WebhookSettings {
  readonly name: string
  readonly url: string
  readonly events: readonly WebhookEvent[]
  readonly filter: KeptFilter
}

/** The settings of a webhook, as they are kept. @throws Problem */
export function webhookSettings(
  given: KeptFilter & { readonly name: string; readonly url: string; readonly events: readonly string[] },
): WebhookSettings {
  const [name, url, events, filter] = checkAll(
    () => line(given.name, 'settings.name', { max: limits.name }),
    () => webhookUrl(given.url),
    () => webhookEvents(given.events),
    () => keptFilter(given),
  )
  return { name: name === '' ? new URL(url).host : name, url, events, filter }
}

/** The address as it was given, without white space around it. @throws Problem */
function webhookUrl(given: string): string {
  const text = given.trim()
  const url = URL.parse(text)
  const isAddress =
    url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && !/[#\s\p{C}]/u.test(text)
  if (isAddress && text.length <= limits.url) return text
  throw new Problem(
    'settings.url',
    `must be an address such as https://example.org/hooks, without a user name or #, of ${limits.url} characters at most`,
  )
}

function webhookEvents(given: readonly string[]): WebhookEvent[] {
  const events = [...new Set(given)]
  if (events.length === 0) throw new Problem('settings.events', 'must have one type at least, such as review.approved')
  if (events.every(isWebhookEvent)) return events
  throw new Problem('settings.events', say`must be one or more of ${Object.keys(types).join(', ')}`)
}

/** `webhook-id` of a delivery: it has no full stop, which separates what is signed. */
export const messageId = (uuid: string): string => `msg_${uuid.replaceAll('-', '')}`

/** The UUID of a `webhook-id`; undefined: it is none of ours. */
export const uuidOfMessage = (id: string): string | undefined => /^msg_([0-9a-f]{32})$/.exec(id)?.[1]
