// A service in TypeScript with Connect that stores much: one stream with many requests under way. After a cut it sends
// again what has no answer; statements have ids from the start, so nothing is stored twice.
// LRS_CORE_URL, LRS_SERVICE_TOKEN and LRS_CREDENTIAL (the key of the game it acts for) come from the environment.
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { StatementService, type StoreStatementsStreamRequestSchema } from '../../gen/lrs/v1/statements_pb.js'
import type { MessageInitShape } from '@bufbuild/protobuf'

type Request = MessageInitShape<typeof StoreStatementsStreamRequestSchema>

const { LRS_CORE_URL: baseUrl = 'http://localhost:8082', LRS_SERVICE_TOKEN: token, LRS_CREDENTIAL: key } = process.env
const authorize: Interceptor = (next) => (request) => {
  request.header.set('authorization', `Bearer ${token}`)
  request.header.set('x-lrs-credential', key ?? '')
  return next(request)
}
const lrs = createClient(StatementService, createGrpcTransport({ baseUrl, interceptors: [authorize] }))

/** Requests without an answer, by their sequence: the oldest first. */
const open = new Map<bigint, { request: Request; answered: PromiseWithResolvers<string[]> }>()
let [sequence, isDone, news] = [0n, false, Promise.withResolvers<void>()]

/** Resolves with the ids once they are stored for good. */
function send(request: Request): Promise<string[]> {
  const answered = Promise.withResolvers<string[]>()
  open.set(++sequence, { request: { ...request, sequence }, answered })
  tell()
  return answered.promise
}

function tell(): void {
  news.resolve()
  news = Promise.withResolvers()
}

/** For one stream: first what a stream before left without an answer, then what comes. */
async function* requests() {
  for (let sent = 0n; !isDone; await news.promise) {
    for (const [number, { request }] of open) {
      if (number <= sent) continue
      sent = number
      yield request
    }
  }
}

async function run(): Promise<void> {
  while (!isDone) {
    try {
      for await (const { outcomes } of lrs.storeStatementsStream(requests())) {
        for (const { sequence, result } of outcomes) {
          const { answered } = open.get(sequence)!
          open.delete(sequence)
          if (result.case === 'stored') answered.resolve(result.value.ids)
          else answered.reject(new Error(`${result.value?.path} ${result.value?.message}`))
        }
      }
    } catch (error) {
      // a core that ends, a stream that nothing came on for 5 minutes, a connection that was cut
      if (![Code.Unavailable, Code.Aborted, Code.Canceled].includes(ConnectError.from(error).code)) throw error
      await sleep(1_000)
    }
  }
}

const won = (name: string) => ({
  id: crypto.randomUUID(),
  actor: { account: { homePage: 'https://players.example', name } },
  verb: { id: 'https://games.example/verbs/won' },
  object: { id: 'https://games.example/chess' },
})

const running = run()
const pairs = Array.from({ length: 100 }, (_, n) => [won(`ann-${n}`), won(`ben-${n}`)])
const stored = await Promise.all(pairs.map((statements) => send({ statements })))
console.log(`stored ${stored.flat().length}`)
const wrong = { ...won('cem'), verb: { id: 'won' } }
await send({ statements: [wrong] }).catch((error: Error) => console.log(`refused: ${error.message}`))
isDone = true
tell()
await running
