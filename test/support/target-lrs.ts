import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** A request that the target got. */
export interface Got {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  readonly statements: Sent[]
}
export type Sent = Record<string, unknown> & { id: string }

/** What the target answers instead: a status, with a text and headers. Undefined: what a learning record store would. */
type Turn = { status: number; text?: string; headers?: Record<string, string> } | 'hang' | 'cut' | undefined

/** Another learning record store, in memory: it keeps each id once, in order, and does what the test says. */
export async function targetLrs(answer: (got: Got) => Turn = () => undefined) {
  const kept = new Map<string, Sent>()
  const requests: Got[] = []
  /** How often each id came in a request that was taken. */
  const times = new Map<string, number>()
  /** It answers after so many milliseconds, and when the gate is open. */
  const how = { answer, wait: 0, gate: undefined as Promise<void> | undefined }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const got: Got = {
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body,
      statements: request.method === 'POST' ? statementsIn(body) : [],
    }
    requests.push(got)
    if (how.wait > 0) await pause(how.wait)
    await how.gate
    const turn = how.answer(got)
    if (turn === 'hang') return
    if (turn === 'cut') return void request.socket.destroy()
    response.setHeader('x-experience-api-version', '1.0.3')
    if (turn) return void response.writeHead(turn.status, turn.headers).end(turn.text ?? '')
    const json = (value: unknown, status = 200) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    const url = new URL(got.url, 'http://target')
    if (url.pathname.endsWith('/about')) return json({ version: ['1.0.3', '2.0.0'] })
    if (got.method === 'POST') {
      for (const one of got.statements) {
        times.set(one.id, (times.get(one.id) ?? 0) + 1)
        if (!kept.has(one.id)) kept.set(one.id, one)
      }
      return json(got.statements.map(({ id }) => id))
    }
    const id = url.searchParams.get('statementId')
    if (id === null) return json({ statements: [] })
    const found = kept.get(id)
    return found ? json(found) : json({}, 404)
  }

  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(close)
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/xapi`,
    kept,
    ids: () => [...kept.keys()],
    times,
    requests,
    posts: () => requests.filter(({ method }) => method === 'POST'),
    how,
    close,
  }
}

export type TargetLrs = Awaited<ReturnType<typeof targetLrs>>

function statementsIn(body: Buffer): Sent[] {
  const text = body.toString()
  const json = text.startsWith('--') ? text.split('\r\n\r\n')[1]!.split('\r\n--')[0]! : text
  return JSON.parse(json) as Sent[]
}
