import { authorizationOf } from '../keys.ts'
import type { Traffic } from '../shapes/shape.ts'
import { shapeOf } from '../shapes/shapes.ts'
import { openConnection, requestOf, type Connection, type HttpAnswer } from './http.ts'
import type { PostJob, Request, SendJob } from './job.ts'
import { measure, type Round } from './measure.ts'

/** Statements that are made beforehand for each millisecond of a round: more than any server of ours takes. */
const perMs = { one: 12, many: 45 }

/** Posts new statements; an answer counts when it is 200 with exactly the ids that were sent. */
export async function post({
  port,
  shape,
  clients,
  batch,
  seed,
  ms,
  game,
}: PostJob & { clients: number; ms: number }): Promise<Round & { ids: string[] }> {
  const source = shapeOf(shape).traffic(seed)
  const wanted = Math.ceil((ms * (batch === 1 ? perMs.one : perMs.many)) / batch)
  const made = Array.from({ length: wanted }, () => makePost(source, batch, game))
  const ids: string[] = []
  const round = await withConnections(port, clients, (connections) => {
    let next = 0
    return measure(clients, ms, async (client) => {
      const one = made[next++]
      if (!one) return undefined
      await sendPost(connections[client]!, one)
      ids.push(...one.ids)
      return batch
    })
  })
  return { ...round, ids }
}

interface Post {
  /** Who sends it. */
  game: number
  ids: string[]
  request: Buffer
  expected: Buffer
}

/** A batch of new statements for `game`; without it, for the game of the first statement. */
export function makePost(source: Traffic, batch: number, game?: number): Post {
  const statements = Array.from({ length: batch }, () => source.next())
  const sender = game ?? statements[0]!.game
  const ids = statements.map(({ id }) => id)
  const json = statements.map(({ json }) => json).join(',')
  const headers = { Authorization: authorizationOf(sender), 'Content-Type': 'application/json' }
  const request = requestOf('POST', '/xapi/statements', headers, batch === 1 ? json : `[${json}]`)
  return { game: sender, ids, request, expected: Buffer.from(JSON.stringify(ids)) }
}

/** @throws Error unless exactly these ids are acknowledged */
export async function sendPost(connection: Connection, { request, expected }: Post): Promise<void> {
  const answer = await connection.send(request)
  if (answer.status !== 200 || !answer.body.equals(expected)) throw wrong(answer, 'POST /xapi/statements')
}

/** Sends the requests in turn. */
export async function send({
  port,
  clients,
  ms,
  requests,
  expect,
  reconnect,
}: SendJob & { clients: number; ms: number }): Promise<Round> {
  const bytes = requests.map(({ method, path, headers = {}, body }) => requestOf(method, path, headers, body))
  let next = 0
  if (reconnect) {
    return measure(clients, ms, async () => {
      const at = next++ % bytes.length
      const connection = await openConnection(port)
      check(await connection.send(bytes[at]!), requests[at]!, expect)
      connection.close()
      return 1
    })
  }
  return withConnections(port, clients, (connections) =>
    measure(clients, ms, async (client) => {
      const at = next++ % bytes.length
      check(await connections[client]!.send(bytes[at]!), requests[at]!, expect)
      return 1
    }),
  )
}

export async function withConnections<T>(
  port: number,
  count: number,
  work: (connections: Connection[]) => Promise<T>,
): Promise<T> {
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(port)))
  try {
    return await work(connections)
  } finally {
    for (const connection of connections) connection.close()
  }
}

export function check(answer: HttpAnswer, request: Request, expect: SendJob['expect']): void {
  const right =
    answer.status === expect.status &&
    (request.statements === undefined || countOf(answer.body) === request.statements) &&
    (expect.body === undefined || answer.body.equals(Buffer.from(expect.body))) &&
    (expect.contains === undefined || answer.body.includes(expect.contains))
  if (!right)
    throw wrong(
      answer,
      `${request.method} ${request.path} (expected ${JSON.stringify({ ...expect, statements: request.statements })})`,
    )
}

const mark = Buffer.from(',"stored":"')

/** Statements in a page. */
function countOf(body: Buffer): number {
  let count = 0
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + 200)) count++
  return count
}

function wrong({ status, body }: HttpAnswer, what: string): Error {
  return new Error(`A wrong answer to ${what}: ${status} ${body.toString('utf8', 0, 500)}`)
}
