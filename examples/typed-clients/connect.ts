// A service in TypeScript with Connect: stores typed statements, queries typed results, follows what is stored.
// LRS_CORE_URL, LRS_SERVICE_TOKEN and LRS_CREDENTIAL (the key of the game it acts for) come from the environment.
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { Form, StatementService } from '../../gen/lrs/v1/statements_pb.js'
import type { Statement } from '../../gen/lrs/v1/xapi_pb.js'

const { LRS_CORE_URL: baseUrl = 'http://localhost:8082', LRS_SERVICE_TOKEN: token, LRS_CREDENTIAL: key } = process.env
const authorize: Interceptor = (next) => (request) => {
  request.header.set('authorization', `Bearer ${token}`)
  request.header.set('x-lrs-credential', key ?? '')
  return next(request)
}
const lrs = createClient(StatementService, createGrpcTransport({ baseUrl, interceptors: [authorize] }))

const verb = { id: 'https://games.example/verbs/won', display: { en: 'won' } }
const won = (name: string, scaled: number) => ({
  actor: { name, account: { homePage: 'https://players.example', name } },
  verb,
  object: { id: 'https://games.example/chess', definition: { name: { en: 'Chess' } } },
  result: { success: true, score: { scaled } },
})
const tell = ({ actor, verb, object, result }: Statement) =>
  `${actor?.name} ${verb?.display['en']} ${object?.definition?.name['en']} ${result?.score?.scaled}`

const { ids } = await lrs.storeStatements({ statements: [won('ann', 0.5), won('ben', 0.25)] })
console.log(`stored ${ids.length}`)

const { statements } = await lrs.queryStatements({ verb: verb.id, form: Form.TYPED, ascending: true })
for (const statement of statements) console.log(`found ${tell(statement)}`)

/** Every statement after a place, then those that come; after a cut it goes on where it was. Keep `through` to resume later. */
async function* follow(start: { case: 'after'; value: bigint } | { case: 'fromNow'; value: true }) {
  for (let at = start; ;) {
    const cancel = new AbortController()
    try {
      for await (const { statements, through } of lrs.follow(
        { verb: verb.id, form: Form.TYPED, start: at },
        { signal: cancel.signal },
      )) {
        yield { statements, through }
        at = { case: 'after', value: through }
      }
    } catch (error) {
      if (ConnectError.from(error).code !== Code.Unavailable) throw error
      await sleep(1_000)
    } finally {
      cancel.abort()
    }
  }
}

let following = false
for await (const { statements } of follow({ case: 'fromNow', value: true })) {
  for (const statement of statements) console.log(`followed ${tell(statement)}`)
  if (statements.length > 0) break
  // the first message says that it follows
  if (!following) await lrs.storeStatements({ statements: [won('cem', 0.75)] })
  following = true
}
