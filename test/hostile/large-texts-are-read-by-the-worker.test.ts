import { createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { randomUUID } from 'node:crypto'
import { create, fromJson, toBinary, toJson, type JsonObject } from '@bufbuild/protobuf'
import { ValueSchema } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sampled } from '../support/sampled.ts'
import { heavyWork, type HeavyWork } from '../../core/records/worker/worker.ts'
import { AttachmentService } from '../../gen/lrs/v1/attachments_pb.js'
import { Form, StatementService, StoreStatementsRequestSchema } from '../../gen/lrs/v1/statements_pb.js'
import { StatementSchema } from '../../gen/lrs/v1/xapi_pb.js'
import { player, statement } from '../support/statements.ts'
import type { Game } from '../support/games.ts'
import { startSystem, type System } from '../support/system.ts'

const thread = heavyWork({ waiting: 64, waitingOfGame: 32, patience: 20_000, timeout: 20_000 })
const jobs: string[] = []
const work: HeavyWork = {
  run: (job, game, input, lane) => (jobs.push(job), thread.run(job, game, input, lane)),
  close: () => thread.close(),
}
const ann = player('ann')
/** 340 KB, in levels with escaped keys. */
const nested = '{"\\u0061":'.repeat(50) + `"${'\\"'.repeat(170_000)}"` + '}'.repeat(50)
const [small, poison] = [statement({ actor: { ...ann, name: 'Ann' } }), statement({ actor: { ...ann, name: 'Anna' } })]
const state = { activityId: 'https://games.example/o', agent: JSON.stringify(ann), registration: '' }

let system: System
let game: Game
beforeAll(async () => {
  system = await startSystem({ gateways: 0, tenancy: 'isolated', work })
  game = await system.game()
  const json = JSON.stringify({ ...poison, result: { extensions: { 'x:y': 0 } } }).replace('"x:y":0', `"x:y":${nested}`)
  await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(small)) })
  await game.rpc().statements.storeStatements({ json: Buffer.from(json) })
})
beforeEach(() => void (jobs.length = 0))
afterAll(() => system.close())

test('the names of an agent', async () => {
  const { json } = await game.rpc().statements.getPerson({ agent: JSON.stringify(ann) })
  expect(JSON.parse(Buffer.from(json).toString()).name).toEqual(['Anna'])
  expect(jobs).toEqual(['names'])
})

for (const { cases, tags } of sampled([true, false], 1))
  test.each(cases)('typed pages, statements and streams; binary: %s', { tags }, async (useBinaryFormat) => {
    const { statements } = await typedOver(useBinaryFormat)
    const page = await statements.queryStatements({ form: Form.TYPED, ascending: true })
    expect(page.statements.map(({ id }) => id)).toEqual([small.id, poison.id])
    const [plain, large] = page.statements
    expect(toJson(StatementSchema, plain!)).toMatchObject({ actor: { name: 'Ann' } })
    expect(Buffer.from(large!.result!.deepExtensions['x:y']!).toString()).toBe(nested)
    expect(page.consistentThrough).toBeGreaterThan(0n)
    const one = await statements.getStatement({ form: Form.TYPED, statementId: poison.id })
    expect(one.statement).toEqual(large)
    for await (const { statements: followed } of statements.follow({ form: Form.TYPED })) {
      expect(followed).toEqual(page.statements)
      break
    }
    expect(new Set(jobs)).toEqual(new Set(['typed']))
  })

test('statements that are sent, and refused for the last of them', async () => {
  const values = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`key ${n}`, n]))
  const json = Buffer.from(JSON.stringify([statement({ result: { extensions: { 'x:y': values } } }), {}]))
  await expect(game.rpc().statements.storeStatements({ json })).rejects.toThrow('statements[1]')
  expect(jobs).toEqual(['prepare'])
})

test('documents that are merged, and the outcome is as before', async () => {
  const { documents } = game.rpc()
  const put = (content: string, merge: boolean) =>
    documents.putDocument({
      scope: { kind: { case: 'state', value: state } },
      id: 's',
      content: Buffer.from(content),
      contentType: 'application/json',
      merge,
    })
  await put(`{"a":1,"large":${nested}}`, false)
  expect(jobs).toEqual([])
  await put('{"a":2,"b":3}', true)
  expect(jobs).toEqual(['merge'])
  await expect(put(`{"c":"${'c'.repeat(500_000)}"}`, true)).rejects.toThrow(/512 KB|too large/i)
  await expect(put(`["${'c'.repeat(200_000)}"]`, true)).rejects.toThrow('must be a JSON object to be merged')
  const { content } = await documents.getDocument({ scope: { kind: { case: 'state', value: state } }, id: 's' })
  expect(Buffer.from(content).toString()).toMatch(/^\{"a":2,"large":.*,"b":3\}$/)
})

/** 80 KB of JSON. */
const values = Array.from({ length: 40_000 }, (_, n) => n % 10)
const sent = (id: string): JsonObject => ({
  ...statement({ actor: ann, result: { extensions: { 'x:y': values } } }),
  id,
})

for (const { cases, tags } of sampled([true, false], 1))
  test.each(cases)(
    'typed messages that come in, in one call and in streams; binary: %s',
    { tags },
    async (useBinaryFormat) => {
      const { statements, attachments } = await typedOver(useBinaryFormat)
      const ids = [randomUUID(), randomUUID(), randomUUID()]
      const [one, other, third] = ids.map((id) => fromJson(StatementSchema, sent(id)))
      await statements.storeStatements({ statements: [one!] })
      for await (const { outcomes } of statements.storeStatementsStream(only({ sequence: 7n, statements: [other!] })))
        expect(outcomes).toMatchObject([{ sequence: 7n, result: { case: 'stored' } }])
      const part = {
        case: 'statements',
        value: create(StoreStatementsRequestSchema, { statements: [third!] }),
      } as const
      await attachments.storeWithAttachments(only({ part }, { part: { case: 'end' as const, value: {} } }))
      expect(jobs.filter((job) => job === 'withJson')).toHaveLength(3)
      for (const statementId of ids) {
        const { json } = await game.rpc().statements.getStatement({ statementId })
        expect(JSON.parse(Buffer.from(json).toString())).toMatchObject(sent(statementId))
      }
    },
  )

const empty = Buffer.alloc(4e6, Buffer.from([0x12, 0]))
test.each([
  ['Protobuf', 'application/proto', empty],
  ['JSON', 'application/json', Buffer.from(`{"statements":[${'{},'.repeat(1e6)}{}]}`)],
])('a message of a million empty statements is refused before it is read: %s', async (_name, type, body) => {
  const answer = await fetch(`http://127.0.0.1:${system.cores[0]!.port}/lrs.v1.StatementService/StoreStatements`, {
    method: 'POST',
    headers: { 'content-type': type, authorization: game.authorization },
    body,
  })
  expect([answer.status, await answer.text()]).toEqual([429, expect.stringContaining('max 250 statements')])
  // a follower of another test may end later
  expect(jobs.filter((job) => job !== 'typed')).toEqual(['withJson'])
})

test('two million fields that a method does not have are refused, or read by the worker', async () => {
  const unknown = Buffer.alloc(4e6, Buffer.from([0x78, 0]))
  const small = toBinary(
    StoreStatementsRequestSchema,
    create(StoreStatementsRequestSchema, { json: bytesOf(statement()) }),
  )
  const call = async (method: string, body: Buffer) => {
    const answer = await fetch(`http://127.0.0.1:${system.cores[0]!.port}/lrs.v1.${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/proto', authorization: game.authorization },
      body,
    })
    return answer.status
  }
  expect(await call('StatementService/GetStatement', unknown)).toBe(429)
  expect(await call('DocumentService/PutDocument', unknown)).toBe(429)
  expect(jobs.filter((job) => job !== 'typed')).toEqual([])
  expect(await call('StatementService/StoreStatements', Buffer.concat([small, unknown.subarray(0, 3e6)]))).toBe(200)
  expect(jobs.filter((job) => job !== 'typed')).toEqual(['withJson'])
})

test('a large message that has no JSON form is refused in its stream, and the next request goes on', async () => {
  const { statements } = await typedOver(true)
  const bad = fromJson(StatementSchema, sent(randomUUID()))
  bad.result!.extensions['x:z'] = create(ValueSchema)
  const good = fromJson(StatementSchema, statement() as JsonObject)
  const told: { sequence: bigint }[] = []
  const asked = only({ sequence: 1n, statements: [bad] }, { sequence: 2n, statements: [good] })
  for await (const { outcomes } of statements.storeStatementsStream(asked)) told.push(...outcomes)
  // answers come in any order
  expect(told.toSorted((a, b) => Number(a.sequence - b.sequence))).toMatchObject([
    { sequence: 1n, result: { case: 'failure', value: { path: 'statements' } } },
    { sequence: 2n, result: { case: 'stored' } },
  ])
})

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

async function* only<T>(...all: T[]): AsyncGenerator<T> {
  yield* all
}

/** Clients of Connect with this encoding. */
async function typedOver(useBinaryFormat: boolean) {
  const transport = createConnectTransport({
    baseUrl: `http://127.0.0.1:${system.cores[0]!.port}`,
    httpVersion: '2',
    useBinaryFormat,
    interceptors: [
      (next) => (request) => {
        request.header.set('authorization', game.authorization)
        return next(request)
      },
    ],
  })
  return {
    statements: createClient(StatementService, transport),
    attachments: createClient(AttachmentService, transport),
  }
}
