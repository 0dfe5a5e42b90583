import { createHmac, randomBytes } from 'node:crypto'

/** Standard Webhooks: `whsec_` and base64 of 24 to 64 random bytes. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** Where the secrets of a webhook are kept. */
export const secretPlace = (webhook: string, column: 'secret' | 'old_secret') => ({
  table: 'webhook',
  column,
  row: webhook,
})

/**
 * Headers of one attempt.
 * @param secrets each signs; the newest first
 * @param seconds of the attempt, since 1970
 */
export function signedHeaders(
  secrets: readonly string[],
  { id, seconds, body }: { readonly id: string; readonly seconds: number; readonly body: Uint8Array },
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': `${seconds}`, 'webhook-signature': signatures.join(' ') }
}
