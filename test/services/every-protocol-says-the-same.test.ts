import { join } from 'node:path'
import { Code, createClient } from '@connectrpc/connect'
import { createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { credentials, loadPackageDefinition, Metadata, status, type ServiceError } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StatementService } from '../../gen/lrs/v1/statements_pb.js'
import { tokens } from '../support/system.ts'
import { activity, player, statement, verb, type Json } from '../support/statements.ts'
import { bearer } from '../support/xapi.ts'
import { startServices, type Services } from './services.ts'

let { system, game, baseUrl, post } = {} as Services
beforeAll(async () => {
  ;({ system, game, baseUrl, post } = await startServices())
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

describe('an internal service', () => {
  test('stores and queries typed messages with a @grpc/grpc-js client made from the same proto', async () => {
    const proto = join(import.meta.dirname, '..', '..', 'proto')
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
    ).toEqual({ status: 200, json: { etag: expect.stringMatching(/^"[\da-f]{40}"$/) } })
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
