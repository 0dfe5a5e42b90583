import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly event: { type: string; timestamp: string; data: Record<string, unknown> }
}

/** How a receiver answers: a status with headers, or not at all. */
export type Answer = { status: number; headers?: Record<string, string>; body?: string } | 'nothing' | 'cut'

/** A receiver of webhooks over HTTP. It answers 204 until `answer` is set. */
export async function startReceiver() {
  const received: Received[] = []
  const open: (() => void)[] = []
  const receiver = {
    received,
    /** May be changed at any time. */
    answer: (_one: Received): Answer => ({ status: 204 }),
    url: '',
    types: () => received.map(({ event }) => event.type),
    /** Ids of all statements in the order in which they came. */
    statements: () =>
      received
        .filter(({ event }) => event.type === 'statements.stored')
        .flatMap(({ event }) => (event.data['statements'] as { id: string }[]).map(({ id }) => id)),
    /** Answers calls that got nothing so far. */
    let: () => open.splice(0).forEach((end) => end()),
    close: () => new Promise<void>((done) => (server.closeAllConnections(), server.close(() => done()))),
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts)
      const one = {
        id: String(request.headers['webhook-id']),
        headers: request.headers,
        body,
        event: JSON.parse(String(body)),
      }
      received.push(one)
      const answer = receiver.answer(one)
      if (answer === 'cut') return request.socket.destroy()
      const { status, headers = {}, body: text = '' } = answer === 'nothing' ? { status: 204 } : answer
      const end = () => void response.writeHead(status, headers).end(text)
      if (answer === 'nothing') open.push(end)
      else end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}

/** Whether a signature of the header is of this secret, by the words of the specification, with nothing of ours. */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const signed = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body])
  const expected = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(signed)
    .digest()
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice(3), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected))
}
