import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { toBinary, toJson } from '@bufbuild/protobuf'
import { createClient, type Client, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampled } from './support/sampled.ts'
import { Form, StatementService } from '../gen/lrs/v1/statements_pb.js'
import { StatementSchema, type Statement } from '../gen/lrs/v1/xapi_pb.js'
import { statementCases } from './cases/expand.ts'
import { hasGrpcio, runWithGrpcio } from './support/grpcio.ts'
import type { Game } from './support/games.ts'
import { statement, type Json } from './support/statements.ts'
import { startSystem, type System } from './support/system.ts'

const extension = 'https://example.org/e'
const nested = (depth: number, open = '[', close = ']', inner = '') => open.repeat(depth) + inner + close.repeat(depth)

/** Extension values that JSON.stringify cannot write. */
const values: Record<string, string> = {
  'a number beyond doubles': '1e400',
  'one below them': '{"deep":[-1e400]}',
  'an integer of 400 digits': '9'.repeat(400),
  'half of a surrogate pair': '"a\\ud800b"',
  'half of one in a key': '{"\\udfff":{"x\\ud800":1}}',
  '25 levels': nested(25, '{"a":', '}', '1'),
  '26 levels': nested(26, '{"a":', '}', '1'),
  '59 levels of lists': nested(59),
  '59 levels of objects': nested(59, '{"a":', '}', '1.00'),
  'an object that is called as extensions are': '{"extensions":{"__proto__":1e999},"deepExtensions":[1e-999]}',
}
const withExtension = (place: (extensions: object) => Record<string, unknown>, json: string): string =>
  JSON.stringify(statement(place({ [extension]: 0 }))).replace(`"${extension}":0`, `"${extension}":${json}`)
const places: ((extensions: object) => Record<string, unknown>)[] = [
  (extensions) => ({ result: { extensions } }),
  (extensions) => ({ context: { extensions } }),
  (extensions) => ({ object: { id: 'https://example.org/a', definition: { extensions } } }),
]
/** The deepest places of extensions: inside the most messages. */
const deepest = (extensions: object) => ({
  object: {
    objectType: 'SubStatement',
    actor: statement().actor,
    verb: statement().verb,
    object: { id: 'https://example.org/a' },
    context: { contextActivities: { parent: [{ id: 'https://example.org/a', definition: { extensions } }] } },
  },
})
const scored = (raw: string) =>
  JSON.stringify(statement({ result: { score: { raw: 0 } } })).replace('"raw":0', `"raw":${raw}`)

const bodies = [
  ...Object.values(values).flatMap((json) => places.map((place) => withExtension(place, json))),
  ...['26 levels', '25 levels', 'a number beyond doubles'].map((name) => withExtension(deepest, values[name]!)),
  scored('1e400'),
  scored('-1e400'),
]

let system: System
let game: Game
/** The JSON of each statement as the service has it, in the order of `stored`, read over HTTP. */
let stored: string[]
beforeAll(async () => {
  system = await startSystem()
  game = await system.game()
  for (const version of ['1.0.3', '2.0.0'] as const) {
    const cases = statementCases().filter(({ versions, expect }) => versions.includes(version) && expect === 'ok')
    // without statements that void others: those would not be in a page
    const all = cases
      .map(({ statement }) => ({ ...(statement as Json), id: randomUUID() }))
      .filter(({ verb }) => !verb.id.endsWith('/voided'))
    for (let at = 0; at < all.length; at += 200)
      await game
        .rpc(0, version)
        .statements.storeStatements({ json: Buffer.from(JSON.stringify(all.slice(at, at + 200))) })
  }
  await game.rpc().statements.storeStatements({ json: Buffer.from(`[${bodies.join()}]`) })
  stored = []
  for (let more = '?ascending=true&limit=500'; more !== '';) {
    const text = await (
      await fetch(`${system.urls[0]}/xapi/statements${more}`, {
        headers: { authorization: game.authorization, 'x-experience-api-version': '1.0.3' },
      })
    ).text()
    const page = JSON.parse(text) as { statements: { id: string }[]; more?: string }
    stored.push(...page.statements.map(({ id }) => id))
    more = page.more === undefined || page.more === '' ? '' : `?${page.more.split('?')[1]}`
  }
})
afterAll(() => system.close())

type Options = Pick<Parameters<typeof createGrpcTransport>[0], 'baseUrl' | 'interceptors' | 'readMaxBytes'>
const codecs: Record<string, (options: Options) => Transport> = {
  gRPC: createGrpcTransport,
  'gRPC with JSON': (options) => createGrpcTransport({ ...options, useBinaryFormat: false }),
  'gRPC-Web': (options) => createGrpcWebTransport({ ...options, httpVersion: '1.1' }),
  'gRPC-Web with JSON': (options) => createGrpcWebTransport({ ...options, httpVersion: '1.1', useBinaryFormat: false }),
  Connect: (options) => createConnectTransport({ ...options, httpVersion: '1.1', useBinaryFormat: true }),
  'Connect with JSON': (options) => createConnectTransport({ ...options, httpVersion: '1.1' }),
}

function clientOf(codec: string, { authorization } = game, readMaxBytes = 2 ** 30): Client<typeof StatementService> {
  const transport = codecs[codec]!({
    baseUrl: `http://127.0.0.1:${system.cores[0]!.port}`,
    readMaxBytes,
    interceptors: [(next) => (request) => (request.header.set('authorization', authorization), next(request))],
  })
  return createClient(StatementService, transport)
}

/** Every statement, page by page. */
async function read(
  client: Client<typeof StatementService>,
  form: Form,
): Promise<{ json: string[]; statements: Statement[] }> {
  const found = { json: [] as string[], statements: [] as Statement[] }
  for (let offset = ''; ;) {
    const page = await client.queryStatements({ form, ascending: true, limit: 500, offset })
    found.json.push(...page.json.map((bytes) => Buffer.from(bytes).toString()))
    found.statements.push(...page.statements)
    if ((offset = page.next) === '') return found
  }
}

const idOf = ({ id }: { id: string }) => id

/** `npm test` has each protocol and each format. */
const chosen = ['gRPC', 'gRPC-Web with JSON', 'Connect']

for (const codec of Object.keys(codecs))
  describe(`every valid statement, over ${codec}`, { tags: chosen.includes(codec) ? [] : 'long' }, () => {
    test('comes typed in pages and from Follow, the same ones in the same order', async () => {
      const client = clientOf(codec)
      const { statements } = await read(client, Form.TYPED)
      expect(statements.map(idOf)).toEqual(stored)
      const followed: Statement[] = []
      const stop = new AbortController()
      for await (const message of client.follow({ form: Form.TYPED }, { signal: stop.signal })) {
        followed.push(...message.statements)
        if (followed.length >= stored.length) break
      }
      stop.abort()
      const binary = (list: Statement[]) => list.map((one) => Buffer.from(toBinary(StatementSchema, one)).length)
      expect(followed.map(idOf)).toEqual(stored)
      expect(binary(followed)).toEqual(binary(statements))
    })

    test('comes as the bytes that are stored', async () => {
      const { json } = await read(clientOf(codec), Form.JSON)
      expect(json.map((text) => JSON.parse(text).id)).toEqual(stored)
      for (const value of Object.values(values))
        expect(json.filter((text) => text.includes(`"${extension}":${value}}`)).length).toBeGreaterThanOrEqual(
          places.length,
        )
    })
  })

describe('a typed message', () => {
  const of = async (body: string) => {
    const client = clientOf('Connect with JSON')
    const [statementId] = (await client.storeStatements({ json: Buffer.from(body) })).ids
    const { statement } = await client.getStatement({ statementId, form: Form.TYPED })
    return toJson(StatementSchema, statement!) as Json
  }

  test('has the largest finite number for one beyond doubles, and says that it is not exact', async () => {
    expect(await of(withExtension(places[0]!, '{"a":[1e400,-1e400,2]}'))).toMatchObject({
      inexact: true,
      result: { extensions: { [extension]: { a: [Number.MAX_VALUE, -Number.MAX_VALUE, 2] } } },
    })
    expect(await of(scored('-1e400'))).toMatchObject({ inexact: true, result: { score: { raw: -Number.MAX_VALUE } } })
  })

  test('has a value that is too deep as its bytes, beside others', async () => {
    const deep = nested(26, '{ "a":', '}', '1.00')
    const { result, inexact } = await of(withExtension(places[0]!, `${deep},"https://example.org/f":${nested(25)}`))
    expect(inexact).toBe(true)
    expect(result.extensions).toEqual({ 'https://example.org/f': JSON.parse(nested(25)) })
    expect(Object.entries(result.deepExtensions)).toEqual([[extension, Buffer.from(deep).toString('base64')]])
  })

  test('is exact otherwise', async () => {
    const json = await of(withExtension(places[0]!, nested(25, '{"a":', '}', '1e308')))
    expect(json).not.toHaveProperty('inexact')
    expect(json.result).not.toHaveProperty('deepExtensions')
  })

  test('that is sent with a field of the store is refused, with its place', async () => {
    const client = clientOf('gRPC')
    const typed = {
      actor: { mbox: 'mailto:ann@example.org' },
      verb: { id: 'https://example.org/v' },
      object: { id: 'https://example.org/a' },
    }
    await expect(client.storeStatements({ statements: [{ ...typed, inexact: true }] })).rejects.toThrow(
      'statements[0].inexact',
    )
    const deepExtensions = { [extension]: Buffer.from('1') }
    await expect(client.storeStatements({ statements: [{ ...typed, result: { deepExtensions } }] })).rejects.toThrow(
      'statements[0].result.deepExtensions',
    )
  })
})

/** What grpcio reads of a game: ids of typed statements in pages, of those that it follows, and JSON in pages. */
async function readWithGrpcio({ authorization }: Game): Promise<string[][]> {
  const output = await runWithGrpcio(join(import.meta.dirname, 'support', 'read_all.py'), {
    LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`,
    LRS_AUTHORIZATION: authorization,
  })
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[])
}
const withGrpcio = hasGrpcio('test/support/read_all.py')

describe('pages of large statements', () => {
  const large = Array.from({ length: 7 }, () => withExtension(places[0]!, `"${'x'.repeat(700_000)}"`))
  // each number is two bytes of JSON and eleven of Protobuf
  const numbers = Array.from({ length: 3 }, () => withExtension(places[0]!, `[${'1,'.repeat(150_000)}1]`))
  const ids: string[] = []
  let other: Game
  beforeAll(async () => {
    other = await system.game()
    for (const body of [...large, ...numbers])
      ids.push(...(await other.rpc().statements.storeStatements({ json: Buffer.from(body) })).ids)
  })

  for (const { cases, tags } of sampled(['gRPC', 'gRPC-Web'], 1))
    test.each(cases)('are taken by clients that read 4 MiB, over %s', { timeout: 120_000, tags }, async (codec) => {
      const client = clientOf(codec, other, 4 * 1024 * 1024)
      expect((await read(client, Form.JSON)).json.map((text) => JSON.parse(text).id)).toEqual(ids)
      expect((await read(client, Form.TYPED)).statements.map(idOf)).toEqual(ids)
      const run = await client.queryStatements({ form: Form.JSON_RUN, ascending: true })
      expect(run.next).not.toBe('')
      const stop = new AbortController()
      const followed: string[] = []
      for await (const { statements } of client.follow({ form: Form.TYPED }, { signal: stop.signal })) {
        followed.push(...statements.map(idOf))
        if (followed.length >= ids.length) break
      }
      stop.abort()
      expect(followed).toEqual(ids)
    })

  test.runIf(withGrpcio)('are taken by grpcio as it is', { timeout: 60_000 }, async () => {
    const [typed, followed, json] = await readWithGrpcio(other)
    expect(typed).toEqual(ids)
    expect(followed).toEqual(ids)
    expect(json!.map((text) => JSON.parse(text).id)).toEqual(ids)
  })
})

test.runIf(withGrpcio)('every valid statement comes to grpcio', { timeout: 60_000 }, async () => {
  const [typed, followed, json] = await readWithGrpcio(game)
  expect(typed!.slice(0, stored.length)).toEqual(stored)
  expect(followed).toEqual(typed)
  expect(json!.map((text) => JSON.parse(text).id)).toEqual(typed)
})
