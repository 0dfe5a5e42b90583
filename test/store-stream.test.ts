import { randomBytes } from 'node:crypto'
import { create } from '@bufbuild/protobuf'
import { Code, createClient } from '@connectrpc/connect'
import { compressionGzip, createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Reason } from '../gen/lrs/v1/failure_pb.js'
import {
  StatementService,
  StoreStatementsStreamRequestSchema,
  type StoreStatementsStreamRequest,
} from '../gen/lrs/v1/statements_pb.js'
import { rpcCall } from '../core/process/methods/call.ts'
import { storeStream as storeStreamOfCore } from '../core/records/service/store-stream.ts'
import { jsonRequest, storeStream } from './support/store-stream.ts'
import { player, statement, statements, type Json } from './support/statements.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import type { Game } from './support/games.ts'
import { bearer } from './support/xapi.ts'

let system: System
let game: Game
beforeAll(async () => {
  system = await startSystem({ rateLimitFactor: 1 })
  game = await system.game()
})
afterAll(() => system.close())

const clientOn = (make: typeof createGrpcTransport) =>
  createClient(
    StatementService,
    make({
      baseUrl: `http://127.0.0.1:${system.cores[0]!.port}`,
      sendCompression: compressionGzip,
      compressMinBytes: 512,
    }),
  )
const grpc = () => clientOn(createGrpcTransport)
const connect = () => clientOn((options) => createConnectTransport({ ...options, httpVersion: '2' }))
const reasonOf = (result: Json): Reason | undefined => (result?.case === 'failure' ? result.value.reason : undefined)
const headers = () => ({ authorization: game.authorization })

describe.each([
  ['gRPC', grpc],
  ['Connect over HTTP/2', connect],
])('over %s', (_about, client) => {
  test('each request is answered by its sequence, after its commit, with ids or a Failure of its own', async () => {
    const stream = storeStream(client(), headers())
    const [one, many, put, typed] = [
      statement(),
      statements(3),
      crypto.randomUUID(),
      { ...statement(), result: { success: false } },
    ]
    stream.send(
      jsonRequest(7, one),
      jsonRequest(0, many),
      { ...jsonRequest(2 ** 40, statement({ id: undefined })), statementId: put },
      { sequence: 1n, statements: [typed] },
      jsonRequest(2, [statement(), { ...statement(), verb: {} }]),
      jsonRequest(3, statements(251)),
      { sequence: 4n, statements: statements(251) },
      { sequence: 5n, json: randomBytes(2 * 1024 * 1024 + 1) },
      { sequence: 6n },
    )
    await stream.done()
    const idsOf = (sequence: number) => (stream.answers.get(BigInt(sequence)) as Json).value.ids
    expect([idsOf(7), idsOf(0), idsOf(2 ** 40), idsOf(1)]).toEqual([
      [one.id],
      many.map(({ id }) => id),
      [put],
      [typed.id],
    ])
    const invalid = stream.answers.get(2n) as Json
    expect(invalid.value).toMatchObject({ reason: Reason.INVALID, path: expect.stringContaining('statements[1].verb') })
    expect([3, 4, 5, 6].map((sequence) => reasonOf(stream.answers.get(BigInt(sequence))))).toEqual([
      Reason.TOO_MANY_STATEMENTS,
      Reason.TOO_MANY_STATEMENTS,
      Reason.TOO_LARGE,
      Reason.INVALID,
    ])
    for (const id of [one.id, put, typed.id]) expect((await game.xapi().get({ statementId: id })).status).toBe(200)
  })
})

test('answers come while the stream is open; what is sent again is answered again and stored once', async () => {
  const fresh = await system.game()
  const stream = storeStream(grpc(), { authorization: fresh.authorization })
  const sent = statements(2)
  for (let sequence = 0; sequence < 5; sequence++) {
    stream.send(jsonRequest(sequence, sent))
    await expect.poll(() => stream.answers.get(BigInt(sequence))?.case).toBe('stored')
  }
  expect(stream.ended).toBe(false)
  await stream.done()
  expect(await fresh.xapi().all()).toHaveLength(2)
})

test('request limits count each request, launch tokens send as their learner, services for the game that they name', async () => {
  const fresh = await system.game()
  const stream = storeStream(grpc(), { authorization: fresh.authorization })
  for (let sequence = 0; sequence < 125; sequence++) stream.send(jsonRequest(sequence, statement()))
  await stream.done()
  const results = [...stream.answers.values()]
  expect([
    results.filter((one) => one.case === 'stored').length,
    results.filter((one) => reasonOf(one) === Reason.RATE_LIMITED).length,
  ]).toEqual([120, 5])

  const learner = storeStream(grpc(), { authorization: await game.launch(player('ann')) })
  const claimed = statement({ actor: player('ben') })
  learner.send(jsonRequest(1, claimed))
  await learner.done()
  expect((await game.xapi().get({ statementId: claimed.id })).json.actor).toMatchObject(player('ann'))

  const service = storeStream(grpc(), { authorization: bearer(tokens.service), 'x-lrs-credential': game.key })
  const one = statement()
  service.send(jsonRequest(1, one))
  await service.done()
  expect((await game.xapi().get({ statementId: one.id })).json.authority.account.name).toBe(game.key)
})

test('a credential that ends while the stream is open stores nothing more, and ends the stream', async () => {
  const fresh = await system.game()
  const stream = storeStream(grpc(), { authorization: fresh.authorization })
  stream.send(jsonRequest(1, statement()))
  await expect.poll(() => stream.answers.get(1n)?.case).toBe('stored')
  await system.admin.identity.revokeCredential({ key: fresh.key })
  const late = statement()
  stream.send(jsonRequest(2, late))
  await expect(stream.end).rejects.toMatchObject({ code: Code.Unauthenticated })
  expect(reasonOf(stream.answers.get(2n))).toBe(Reason.UNAUTHENTICATED)
  const rows = await system.database.sql('select from statement where id = $1', [late.id])
  expect(rows).toEqual([])
})

test('who may not write is told at once, and a message that is none ends the stream after what came before it', async () => {
  await expect(storeStream(grpc(), { authorization: 'Basic eDp5' }).end).rejects.toMatchObject({
    code: Code.Unauthenticated,
  })
  await expect(storeStream(grpc(), { authorization: bearer(tokens.service) }).end).rejects.toMatchObject({
    code: Code.Unauthenticated,
  })
  const large = storeStream(grpc(), headers())
  large.send(jsonRequest(1, statement()), { sequence: 2n, json: randomBytes(5 * 1024 * 1024) })
  await expect(large.end).rejects.toMatchObject({ code: Code.ResourceExhausted })
  expect(large.answers.get(1n)?.case).toBe('stored')
})

describe('a stream of which one side does nothing', () => {
  const run = (messages: AsyncIterable<StoreStatementsStreamRequest>, hangUp = () => {}) =>
    storeStreamOfCore(
      system.cores[0]!,
      messages,
      rpcCall('StoreStatementsStream', new Headers({ authorization: game.authorization }), { address: '127.0.0.1' }),
      hangUp,
      {
        requests: 3,
        bytes: 1_000_000,
        patience: 150,
      },
    )

  test('ends when nothing comes', async () => {
    const silent: AsyncIterable<never> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }
    await expect(run(silent).next()).rejects.toMatchObject({ reason: 'unavailable' })
  })

  test('is read no further than what is under way when nobody takes the answers, and hung up on', async () => {
    let read = 0
    async function* endless() {
      for (;;) yield create(StoreStatementsStreamRequestSchema, jsonRequest(++read, statement()))
    }
    const hungUp = Promise.withResolvers<void>()
    const stream = run(endless(), hungUp.resolve)
    await stream.next()
    await hungUp.promise
    expect(read).toBe(3)
    await stream.return(undefined)
  })
})

test('twenty streams of a game at a time, two of a learner; who leaves makes room, and a core that ends tells', async () => {
  const fresh = await system.game()
  const streams = Array.from({ length: 22 }, (_, n) => {
    const stream = storeStream(grpc(), { authorization: fresh.authorization })
    stream.send(jsonRequest(n, statement()))
    return stream
  })
  await expect.poll(() => streams.filter(({ answers }) => answers.size === 1).length).toBe(20)
  const refused = streams.filter(({ answers }) => answers.size === 0)
  for (const { end } of refused) await expect(end).rejects.toMatchObject({ code: Code.Unavailable })
  const authorization = await fresh.launch(player('ann'))
  const ofLearner = Array.from({ length: 3 }, () => storeStream(grpc(), { authorization }))
  await expect.poll(() => ofLearner.filter(({ ended }) => ended).length).toBe(1)
  for (const { leave } of [...streams, ...ofLearner]) leave()
  const next = storeStream(grpc(), { authorization: fresh.authorization })
  next.send(jsonRequest(1, statement()))
  await expect.poll(() => next.answers.size).toBe(1)
  system.cores[0]!.storeStreams.close()
  await expect(next.end).rejects.toMatchObject({
    code: Code.Unavailable,
    rawMessage: expect.stringContaining('open the stream again'),
  })
})
