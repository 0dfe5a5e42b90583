import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { create, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect'
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node'
import { Client, credentials, loadPackageDefinition, Metadata, status, type ServiceError } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../gen/grpc/health/v1/health_pb.js'
import { DocumentService } from '../gen/lrs/v1/documents_pb.js'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import { IdentityService } from '../gen/lrs/v1/identity_pb.js'
import { QuotaService } from '../gen/lrs/v1/quotas_pb.js'
import { StatementService, StoreStatementsRequestSchema } from '../gen/lrs/v1/statements_pb.js'
import { buckets } from '../shared/limits.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import type { Game } from './support/games.ts'
import { activity, player, statement, verb, type Json } from './support/statements.ts'
import { bearer } from './support/xapi.ts'
import { bestOfThree, processorTime } from './support/cost.ts'

let system: System
let game: Game
let baseUrl: string
beforeAll(async () => {
  system = await startSystem()
  game = await system.game()
  baseUrl = `http://127.0.0.1:${system.cores[0]!.port}`
})
afterAll(() => system.close())

/** A statement that has something of every kind. */
const rich = (): Json =>
  statement({
    object: {
      objectType: 'Activity',
      id: activity('quiz').id,
      definition: {
        name: { en: 'Quiz' },
        interactionType: 'choice',
        correctResponsesPattern: ['a'],
        choices: [{ id: 'a', description: { en: 'A' } }],
      },
    },
    result: {
      score: { scaled: 0.5, raw: 0, min: -1, max: 1 },
      success: false,
      response: '',
      duration: 'PT1.5S',
      extensions: { 'https://example.org/e': { list: [1, 'a', null, true] } },
    },
    context: {
      registration: '55555555-0000-4000-8000-000000000001',
      contextActivities: { parent: [{ objectType: 'Activity', ...activity('level') }] },
      team: { objectType: 'Group', member: [player('ben')] },
    },
    timestamp: '2026-11-21T10:00:00.123Z',
  })

/** POST as curl would, over HTTP/1.1. */
async function post(method: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${baseUrl}/lrs.v1.${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
}

describe('an internal service', () => {
  test('stores and queries typed messages with a @grpc/grpc-js client made from the same proto', async () => {
    const proto = join(import.meta.dirname, '..', 'proto')
    const definition = loadSync('lrs/v1/statements.proto', {
      includeDirs: [proto],
      enums: String,
      defaults: false,
      oneofs: true,
    })
    const { lrs } = loadPackageDefinition(definition) as Json
    const client = new lrs.v1.StatementService(new URL(baseUrl).host, credentials.createInsecure())
    const metadata = new Metadata()
    metadata.set('authorization', bearer(tokens.service))
    metadata.set('x-lrs-credential', game.key)
    const call = (method: string, request: object, meta = metadata): Promise<Json> =>
      new Promise((resolve, reject) =>
        client[method](request, meta, (error: ServiceError | null, response: Json) =>
          error ? reject(error) : resolve(response),
        ),
      )
    const typed = {
      id: crypto.randomUUID(),
      actor: player('typed'),
      verb: { ...verb('won'), display: { en: 'won' } },
      object: activity('chess'),
      result: { score: { raw: 0 }, success: false },
    }
    expect((await call('StoreStatements', { statements: [typed] })).ids).toEqual([typed.id])
    const { statements } = await call('QueryStatements', {
      agent: JSON.stringify(player('typed')),
      form: 'FORM_TYPED',
      limit: 5,
    })
    expect(statements).toHaveLength(1)
    expect(statements[0]).toMatchObject(typed)
    expect(statements[0].authority.account.name).toBe(game.key)
    expect((await game.xapi().get({ statementId: typed.id })).json).toMatchObject(typed)
    await expect(call('StoreStatements', { statements: [{ ...typed, verb: { id: 'won' } }] })).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('statements[0].verb.id'),
    })
    await expect(call('StoreStatements', { statements: [typed] }, new Metadata())).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
    })
    client.close()
  })

  test('does the same with Connect JSON over HTTP/1.1, as curl would: the typed statement is xAPI JSON', async () => {
    const headers = { authorization: game.authorization }
    const sent = rich()
    const stored = await post('StatementService/StoreStatements', { statements: [sent] }, headers)
    expect(stored).toEqual({ status: 200, json: { ids: [sent.id] } })
    const { json } = await post(
      'StatementService/QueryStatements',
      { registration: sent.context.registration, form: 'FORM_TYPED' },
      headers,
    )
    expect(json.statements).toHaveLength(1)
    expect(json.statements[0]).toMatchObject(sent)
    expect(json.statements[0]).toEqual((await game.xapi().get({ statementId: sent.id })).json)
    const bytes = await post('StatementService/GetStatement', { statementId: sent.id }, headers)
    expect(JSON.parse(Buffer.from(bytes.json.json, 'base64').toString())).toEqual(json.statements[0])
    const document = { scope: { agentProfile: { agent: JSON.stringify(player('ann')) } }, id: 'x' }
    expect(
      await post(
        'DocumentService/PutDocument',
        { ...document, content: Buffer.from('hi').toString('base64'), contentType: 'text/plain' },
        headers,
      ),
    ).toEqual({ status: 200, json: {} })
    expect((await post('DocumentService/GetDocument', document, headers)).json).toMatchObject({
      content: 'aGk=',
      contentType: 'text/plain',
      size: 2,
    })
  })

  test.each([
    ['gRPC-Web over HTTP/1.1', () => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
    ['gRPC', () => createGrpcTransport({ baseUrl })],
  ])('does the same with %s', async (_about, transport) => {
    const client = createClient(StatementService, transport())
    const headers = { authorization: game.authorization }
    const one = statement()
    expect((await client.storeStatements({ json: Buffer.from(JSON.stringify(one)) }, { headers })).ids).toEqual([
      one.id,
    ])
    const found = await client.getStatement({ statementId: one.id }, { headers })
    expect(JSON.parse(Buffer.from(found.json).toString())).toMatchObject(one)
    expect(found.consistentThrough).toBeGreaterThanOrEqual(found.stored)
    await expect(client.getStatement({ statementId: one.id })).rejects.toMatchObject({ code: Code.Unauthenticated })
  })
})

describe('health', () => {
  test('is told to everybody: Check on both ports, Watch on one', async () => {
    const health = createClient(Health, createGrpcTransport({ baseUrl }))
    expect((await health.check({})).status).toBe(ServingStatus.SERVING)
    for await (const { status } of health.watch({})) {
      expect(status).toBe(ServingStatus.SERVING)
      break
    }
    const relay = createClient(
      Health,
      createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.cores[0]!.relayPort}` }),
    )
    expect((await relay.check({})).status).toBe(ServingStatus.SERVING)
  })

  test('names every service, and knows no other: Check says NOT_FOUND, Watch SERVICE_UNKNOWN and stays', async () => {
    const health = createClient(Health, createGrpcTransport({ baseUrl }))
    const { statuses } = await health.list({})
    expect(Object.keys(statuses)).toEqual(
      expect.arrayContaining(['', StatementService.typeName, QuotaService.typeName, Health.typeName]),
    )
    for (const [service, { status }] of Object.entries(statuses)) {
      expect([service, status]).toEqual([service, ServingStatus.SERVING])
      expect((await health.check({ service })).status).toBe(ServingStatus.SERVING)
    }
    for (const service of ['lrs.v1.Nothing', 'lrs.v1', 'StatementService', '__proto__']) {
      await expect(health.check({ service })).rejects.toMatchObject({ code: Code.NotFound })
    }
    const stop = new AbortController()
    const watching = health.watch({ service: 'lrs.v1.Nothing' }, { signal: stop.signal })[Symbol.asyncIterator]()
    expect((await watching.next()).value?.status).toBe(ServingStatus.SERVICE_UNKNOWN)
    const ended = await Promise.race([
      watching.next().then(
        () => 'said more',
        () => 'ended',
      ),
      sleep(300, 'stays'),
    ])
    expect(ended).toBe('stays')
    stop.abort()
  })

  test('has at most 20 watchers of one address; a new one may come when one leaves', async () => {
    const health = createClient(Health, createGrpcTransport({ baseUrl }))
    const stop = new AbortController()
    const watch = async (signal: AbortSignal) => {
      const watching = health.watch({}, { signal })[Symbol.asyncIterator]()
      return (await watching.next()).value!.status
    }
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => watch(stop.signal)))
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(
      outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value === ServingStatus.SERVING).length +
        refused.length,
    ).toBe(30)
    // whoever watched before may have left only just now
    expect([10, 11]).toContain(refused.length)
    for (const { reason } of refused) expect(reason).toMatchObject({ code: Code.Unavailable })
    expect((await health.check({})).status).toBe(ServingStatus.SERVING)
    stop.abort()
    await expect.poll(() => watch(AbortSignal.timeout(5_000)).catch(() => undefined)).toBe(ServingStatus.SERVING)
  })

  test('of the gateway: alive and ready', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await fetch(system.urls[0] + path)).status).toBe(200)
  })
})

describe('compressed with gzip', () => {
  const large = () => statement({ result: { response: 'word '.repeat(10_000) } })

  test('requests are taken, and answers come so where the caller accepts it, over each protocol', async () => {
    const encodings: (string | null)[] = []
    const seen: Interceptor = (next) => async (request) => {
      const response = await next(request)
      encodings.push(response.header.get('grpc-encoding') ?? response.header.get('content-encoding'))
      return response
    }
    const options = { baseUrl, sendCompression: compressionGzip, interceptors: [seen] }
    const [http1, http2] = [{ httpVersion: '1.1', ...options } as const, { httpVersion: '2', ...options } as const]
    for (const transport of [
      createGrpcTransport(options),
      createConnectTransport(http1),
      createConnectTransport(http2),
      createGrpcWebTransport(http1),
    ]) {
      const client = createClient(StatementService, transport)
      const headers = { authorization: game.authorization }
      const one = large()
      expect((await client.storeStatements({ json: Buffer.from(JSON.stringify(one)) }, { headers })).ids).toEqual([
        one.id,
      ])
      expect(
        JSON.parse(Buffer.from((await client.getStatement({ statementId: one.id }, { headers })).json).toString()),
      ).toMatchObject(one)
      expect(encodings.at(-1)).toBe('gzip')
    }
  })

  test('a short answer is not compressed, nor a long one for a client that does not accept it', async () => {
    const one = large()
    await game.xapi().post(one)
    const ask = async (statementId: string, encoding: string) => {
      const call = request(`${baseUrl}/lrs.v1.StatementService/GetStatement`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: game.authorization, 'accept-encoding': encoding },
      }).end(JSON.stringify({ statementId }))
      const [answer] = (await once(call, 'response')) as [IncomingMessage]
      let size = 0
      for await (const chunk of answer) size += (chunk as Buffer).length
      return [answer.headers['content-encoding'], size > 10_000]
    }
    expect(await ask(one.id, 'gzip')).toEqual(['gzip', false])
    expect(await ask(one.id, 'identity')).toEqual([undefined, true])
    expect(await ask(crypto.randomUUID(), 'gzip')).toEqual([undefined, false])
  })

  test.each([
    ['is none', Buffer.from('no gzip at all')],
    ['is cut off', gzipSync('{}').subarray(0, 12)],
  ])('what %s is the fault of its sender', async (_about, body) => {
    const { status, json } = await post('StatementService/QueryStatements', body, {
      authorization: game.authorization,
      'content-encoding': 'gzip',
    })
    expect([status, json.code, json.message]).toEqual([400, 'invalid_argument', expect.stringContaining('gzip')])
    expect(json.details[0]).toMatchObject({ type: 'lrs.v1.Failure' })
  })

  test(
    'a bomb is refused and costs little, of whoever has shown a credential and of strangers',
    bestOfThree,
    async () => {
      // 4 KB that become two million empty statements, and 100 KB that become 100 MB
      const empty = gzipSync(Buffer.alloc(4 * 1024 * 1024, Buffer.from([0x12, 0])))
      const spaces = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '))
      const before = processorTime()
      for (const authorization of [game.authorization, '']) {
        for (const [body, type] of [
          [empty, 'application/proto'],
          [spaces, 'application/json'],
        ] as const) {
          const { status, json } = await post('StatementService/StoreStatements', body, {
            'content-type': type,
            'content-encoding': 'gzip',
            authorization,
          })
          expect([status, json.code]).toEqual([429, 'resource_exhausted'])
        }
      }
      // core runs in this process
      expect(processorTime() - before).toBeLessThan(500)
    },
  )
})

describe('refusals', () => {
  const failureOf = (call: () => Promise<unknown>) =>
    call().then(
      () => 'no error',
      (error) => {
        const { code, rawMessage } = ConnectError.from(error)
        return { code, message: rawMessage, failure: ConnectError.from(error).findDetails(FailureSchema)[0] }
      },
    )

  test('every method needs a credential, but for limits and health', async () => {
    const methods = [StatementService, DocumentService, IdentityService].flatMap(({ typeName, methods }) =>
      methods.flatMap(({ name, methodKind }) =>
        methodKind === 'unary' ? [`${typeName.replace('lrs.v1.', '')}/${name}`] : [],
      ),
    )
    const scope = { agentProfile: { agent: JSON.stringify(player('ann')) } }
    for (const method of methods) {
      const body = method.startsWith('Document') ? { scope } : {}
      for (const headers of [{}, { authorization: 'Basic eDp5' }, { authorization: bearer(tokens.gateway) }] as Record<
        string,
        string
      >[]) {
        const { status, json } = await post(method, body, headers)
        expect([401, 403], `${method} ${headers['authorization']}`).toContain(status)
        expect(json.details[0].type).toBe('lrs.v1.Failure')
      }
    }
    const limits = await post('QuotaService/ListLimits', {})
    expect(limits.json.limits.map(({ subject }: Json) => subject)).toEqual(
      expect.arrayContaining(Object.values(buckets).map(({ subject }) => subject)),
    )
    expect((await createClient(QuotaService, createGrpcTransport({ baseUrl })).listLimits({})).limits).toHaveLength(
      limits.json.limits.length,
    )
  })

  test('a service token without the credential it acts for is told what is missing', async () => {
    const { status, json } = await post(
      'StatementService/QueryStatements',
      {},
      { authorization: bearer(tokens.service) },
    )
    expect(status).toBe(401)
    expect(json.message).toContain('x-lrs-credential')
  })

  test('a misspelt property in JSON is refused by its name', async () => {
    const misspelt = { ...statement(), reslut: { completion: true } }
    for (const [method, body, name] of [
      ['IdentityService/IssueCredential', { game: game.id }, 'game'],
      ['StatementService/StoreStatements', { statements: [misspelt] }, 'reslut'],
    ] as const) {
      const { status, json } = await post(method, body, {
        authorization: method.startsWith('Identity') ? bearer(tokens.admin) : game.authorization,
      })
      expect(status).toBe(400)
      expect(json.message).toContain(`"${name}"`)
    }
  })

  test('of what the contract does not allow carry a Failure too', async () => {
    const { documents } = game.rpc()
    const calls: [() => Promise<unknown>, string][] = [
      [() => system.admin.identity.createGame({ name: '' }), 'name'],
      [() => system.admin.identity.createGame({ name: 'x'.repeat(201) }), 'name'],
      [() => system.admin.identity.issueCredential({ gameId: 'no uuid' }), 'game_id'],
      [() => system.admin.identity.mintLaunchToken({ key: 'x', actor: '' }), 'actor'],
      [() => documents.getDocument({ id: 'x' }), 'scope'],
      [() => documents.getDocument({ id: 'x', scope: {} }), 'kind'],
      [() => game.rpc().statements.storeStatements({ json: Buffer.alloc(2 * 1024 * 1024 + 1, ' ') }), 'json'],
    ]
    for (const [call, word] of calls) {
      expect(await failureOf(call)).toMatchObject({
        code: Code.InvalidArgument,
        message: expect.stringContaining(word),
        failure: { reason: Reason.INVALID },
      })
    }
  })

  test('have the code and the reason of the table', async () => {
    const { statements, documents } = game.rpc()
    const scope = { kind: { case: 'agentProfile', value: { agent: JSON.stringify(player('reasons')) } } } as const
    const put = (ifMatch: string) =>
      documents.putDocument({
        scope,
        id: 'x',
        content: Buffer.from('x'),
        contentType: 'text/plain',
        precondition: { ifMatch },
      })
    const json = Buffer.from(JSON.stringify(Array.from({ length: 251 }, () => statement())))
    const calls: [() => Promise<unknown>, Code, Reason][] = [
      [() => statements.getStatement({ statementId: crypto.randomUUID() }), Code.NotFound, Reason.NOT_FOUND],
      [() => statements.getStatement({}), Code.InvalidArgument, Reason.INVALID],
      [() => statements.storeStatements({}), Code.InvalidArgument, Reason.INVALID],
      [() => statements.storeStatements({ json }), Code.ResourceExhausted, Reason.TOO_MANY_STATEMENTS],
      [() => put('"0"'), Code.FailedPrecondition, Reason.PRECONDITION_FAILED],
      [
        () => documents.putDocument({ scope, id: 'x', content: Buffer.alloc(524_289), contentType: 'text/plain' }),
        Code.ResourceExhausted,
        Reason.TOO_LARGE,
      ],
      [() => game.rpc(0, '3.0').statements.queryStatements({}), Code.InvalidArgument, Reason.INVALID],
      [() => game.rpc(0, '1.0.1000').statements.queryStatements({}), Code.InvalidArgument, Reason.INVALID],
      [
        () =>
          statements.storeStatements({
            statements: [
              {
                ...(statement() as object),
                result: { extensions: { 'https://example.org/e': { kind: { case: 'numberValue', value: NaN } } } },
              } as Json,
            ],
          }),
        Code.InvalidArgument,
        Reason.INVALID,
      ],
    ]
    for (const [call, code, reason] of calls) expect(await failureOf(call)).toMatchObject({ code, failure: { reason } })
  })

  test('of broken and oversized messages leave core alive', async () => {
    const send = (body: Buffer, type: string) =>
      fetch(`${baseUrl}/lrs.v1.StatementService/StoreStatements`, {
        method: 'POST',
        headers: { 'content-type': type, authorization: game.authorization },
        body,
      })
    // Connect itself answers what it cannot read
    expect((await send(Buffer.from([0xff, 0xff, 0xff]), 'application/proto')).status).toBeGreaterThanOrEqual(400)
    expect((await send(Buffer.from('{"json":'), 'application/json')).status).toBeGreaterThanOrEqual(400)
    expect((await send(Buffer.alloc(5 * 1024 * 1024), 'application/proto')).status).toBe(429)
    expect((await send(Buffer.from('x'), 'text/plain')).status).toBe(415)
    const raw = new Client(new URL(baseUrl).host, credentials.createInsecure(), { 'grpc.max_send_message_length': -1 })
    const message = Buffer.from(
      toBinary(
        StoreStatementsRequestSchema,
        create(StoreStatementsRequestSchema, { json: Buffer.alloc(5 * 1024 * 1024) }),
      ),
    )
    const code = await new Promise((done) =>
      raw.makeUnaryRequest(
        '/lrs.v1.StatementService/StoreStatements',
        (bytes: Buffer) => bytes,
        (bytes) => bytes,
        message,
        (error) => done(error?.code),
      ),
    )
    raw.close()
    expect(code).toBe(status.RESOURCE_EXHAUSTED)
    expect((await game.rpc().statements.queryStatements({ limit: 1 })).json.length).toBeLessThanOrEqual(1)
  })
})
