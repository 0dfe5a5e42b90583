// The same with @grpc/grpc-js, from the proto files alone: nothing is generated.
// LRS_CORE_URL, LRS_SERVICE_TOKEN and LRS_CREDENTIAL (the key of the game it acts for) come from the environment.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  credentials,
  loadPackageDefinition,
  Metadata,
  status,
  type ClientReadableStream,
  type ServiceError,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'

const { LRS_CORE_URL: url = 'http://localhost:8082', LRS_SERVICE_TOKEN: token, LRS_CREDENTIAL: key } = process.env

/** What this program uses of a typed statement. */
interface Statement {
  actor: { name?: string; account?: { homePage: string; name: string } }
  verb: { id: string; display?: Record<string, string> }
  object: { id: string; definition?: { name: Record<string, string> } }
  result?: { success?: boolean; score?: { scaled?: number } }
}
interface Place {
  after?: string
  from_now?: true
}
type Call = (
  request: object,
  metadata: Metadata,
  done: (error: ServiceError | null, response: Record<string, never>) => void,
) => void
interface StatementService {
  storeStatements: Call
  queryStatements: Call
  follow(request: object, metadata: Metadata): ClientReadableStream<{ statements: Statement[]; through: string }>
  close(): void
}

const definition = loadSync('lrs/v1/statements.proto', {
  includeDirs: [join(import.meta.dirname, '../../proto')],
  keepCase: true,
  enums: String,
  longs: String,
  defaults: true,
  oneofs: true,
})
const { lrs } = loadPackageDefinition(definition) as unknown as {
  lrs: { v1: { StatementService: new (address: string, how: unknown) => StatementService } }
}
const client = new lrs.v1.StatementService(new URL(url).host, credentials.createInsecure())
const metadata = new Metadata()
metadata.set('authorization', `Bearer ${token}`)
metadata.set('x-lrs-credential', key ?? '')

const ask = <Response>(method: 'storeStatements' | 'queryStatements', request: object): Promise<Response> =>
  new Promise((resolve, reject) =>
    client[method](request, metadata, (error, response) => (error ? reject(error) : resolve(response as Response))),
  )

const verb = { id: 'https://games.example/verbs/won', display: { en: 'won' } }
const won = (name: string, scaled: number) => ({
  actor: { name, account: { home_page: 'https://players.example', name } },
  verb,
  object: { id: 'https://games.example/chess', definition: { name: { en: 'Chess' } } },
  result: { success: true, score: { scaled } },
})
const tell = ({ actor, verb, object, result }: Statement) =>
  `${actor.name} ${verb.display?.['en']} ${object.definition?.name['en']} ${result?.score?.scaled}`

const { ids } = await ask<{ ids: string[] }>('storeStatements', { statements: [won('ann', 0.5), won('ben', 0.25)] })
console.log(`stored ${ids.length}`)

const { statements } = await ask<{ statements: Statement[] }>('queryStatements', {
  verb: verb.id,
  form: 'FORM_TYPED',
  ascending: true,
})
for (const statement of statements) console.log(`found ${tell(statement)}`)

/** Every statement after a place, then those that come; after a cut it goes on where it was. Keep `through` to resume later. */
async function* follow(start: Place) {
  for (let at = start; ;) {
    const stream = client.follow({ verb: verb.id, form: 'FORM_TYPED', ...at }, metadata)
    try {
      for await (const { statements, through } of stream as AsyncIterable<{
        statements: Statement[]
        through: string
      }>) {
        yield { statements, through }
        at = { after: through }
      }
    } catch (error) {
      if ((error as ServiceError).code !== status.UNAVAILABLE) throw error
      await sleep(1_000)
    } finally {
      stream.cancel()
    }
  }
}

let following = false
for await (const { statements } of follow({ from_now: true })) {
  for (const statement of statements) console.log(`followed ${tell(statement)}`)
  if (statements.length > 0) break
  // the first message says that it follows
  if (!following) await ask('storeStatements', { statements: [won('cem', 0.75)] })
  following = true
}
client.close()
