import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply, XapiClient } from '../support/xapi.ts'
import type { Random } from './random.ts'

/** What the service acknowledged. */
export interface Ledger {
  /** JSON as it was sent, by id. */
  readonly statements: Map<string, string>
  /** Ids of each batch. */
  readonly batches: string[][]
  /** Last acknowledged content of each state document, by its id. */
  readonly documents: Map<string, string>
  /** Requests that got no answer, or 503. */
  retries: number
  /** Answers that are neither success nor 503: each is a bug. */
  readonly wrong: string[]
}

export const ledger = (): Ledger => ({
  statements: new Map(),
  batches: [],
  documents: new Map(),
  retries: 0,
  wrong: [],
})

export const activityId = 'https://games.example.org/activities/torture'
export const learner = (writer: number) => ({
  objectType: 'Agent',
  account: { homePage: 'https://players.example.org', name: `writer-${writer}` },
})

/** What is easily changed on its way: numbers and escapes that a parser would rewrite, and text of all lengths. */
const awkward = [
  '1.0',
  '-0',
  '1e400',
  '9007199254740993',
  '"\\u00e4\\/\\t"',
  '"\u{1f3ae}"',
  '{"__proto__":1,"b":2,"a":1}',
  'null',
]

/** Writes like a game does until `over`: what was not acknowledged is sent again, the same, until it is. */
export async function write(
  gateways: readonly XapiClient[],
  writer: number,
  random: Random,
  ledger: Ledger,
  over: () => boolean,
): Promise<void> {
  const stateId = `save-${writer}`
  let etag = ''
  for (let turn = 0; !over(); turn++) {
    const batch = Array.from({ length: random.of([1, 1, 2, 10, 40, 120]) }, (_, n) =>
      statement(writer, turn, n, random),
    )
    const reply = await until(gateways, random, ledger, (xapi) =>
      xapi.post(`[${batch.map(({ json }) => json).join()}]`, { 'content-type': 'application/json' }),
    )
    if (reply.status === 200) {
      for (const { id, json } of batch) ledger.statements.set(id, json)
      ledger.batches.push(batch.map(({ id }) => id))
    }
    if (turn % 3 > 0) continue
    const content = `{"turn":${turn},"writer":${writer}}`
    const query = { activityId, agent: learner(writer), stateId }
    // a PUT whose answer was lost has changed the ETag: then the content tells
    const put = await until(gateways, random, ledger, async (xapi) => {
      const reply = await xapi.request('PUT', 'activities/state', {
        query,
        body: content,
        headers: etag === '' ? { 'if-none-match': '*' } : { 'if-match': etag },
      })
      if (reply.status !== 412) return reply
      const there = await xapi.request('GET', 'activities/state', { query })
      return there.status === 200 && there.text === content ? there : there.status === 503 ? there : reply
    })
    if (put.status < 300) ledger.documents.set(stateId, content)
    const there = await until(gateways, random, ledger, (xapi) => xapi.request('GET', 'activities/state', { query }))
    if (there.text !== content) ledger.wrong.push(`state of writer ${writer} is ${there.text} instead of ${content}`)
    etag = there.headers.get('etag') ?? ''
  }
}

function statement(writer: number, turn: number, n: number, random: Random): { id: string; json: string } {
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => random.between(0, 15).toString(16)).join('')
  const id = `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`
  const json =
    `{"id":"${id}","actor":${JSON.stringify(learner(writer))},"verb":{"id":"https://games.example.org/verbs/played","display":{"en":"played"}},` +
    `"object":{"id":"${activityId}/${turn % 50}"},"result":{"response":"${'x'.repeat(random.between(0, 600))}","extensions":{"https://e.example/${n}":${random.of(awkward)}}},` +
    `"timestamp":"2026-11-21T10:00:00.${String(turn % 1000).padStart(3, '0')}Z"}`
  return { id, json }
}

/** The first answer that is not 503, from whichever gateway is there. */
async function until(
  gateways: readonly XapiClient[],
  random: Random,
  ledger: Ledger,
  call: (xapi: XapiClient) => Promise<Reply>,
): Promise<Reply> {
  for (;;) {
    const reply = await call(random.of(gateways)).catch(() => undefined)
    if (reply && reply.status !== 503) {
      if (reply.status >= 400) ledger.wrong.push(`${reply.status} ${reply.text.slice(0, 300)}`)
      return reply
    }
    ledger.retries++
    await sleep(random.between(5, 80))
  }
}
