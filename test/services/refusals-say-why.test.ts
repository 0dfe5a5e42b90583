import { create, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { Client, credentials, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DocumentService } from '../../gen/lrs/v1/documents_pb.js'
import { FailureSchema, Reason } from '../../gen/lrs/v1/failure_pb.js'
import { IdentityService } from '../../gen/lrs/v1/identity_pb.js'
import { QuotaService } from '../../gen/lrs/v1/quotas_pb.js'
import { StatementService, StoreStatementsRequestSchema } from '../../gen/lrs/v1/statements_pb.js'
import { buckets } from '../../shared/limits.ts'
import { tokens } from '../support/system.ts'
import { player, statement, type Json } from '../support/statements.ts'
import { bearer } from '../support/xapi.ts'
import { startServices, type Services } from './services.ts'

let { system, game, baseUrl, post } = {} as Services
beforeAll(async () => {
  ;({ system, game, baseUrl, post } = await startServices())
})
afterAll(() => system.close())

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
    const large = () => documents.putDocument({ scope, id: 'x', content: Buffer.alloc(524_289), contentType: 'a/b' })
    const message = 'Request body too large: at most 512 KB.'
    expect(await failureOf(large)).toMatchObject({ failure: { message } })
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
