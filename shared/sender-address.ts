import type { IncomingMessage } from 'node:http'

/** Address of the client: what the trusted proxies in front say, if there are any (LRS_TRUST_PROXY). */
export const senderAddress = (
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustProxy: number,
): string =>
  (trustProxy > 0
    ? String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-trustProxy)
        ?.trim()
    : undefined) ||
  (socket.remoteAddress ?? '')
