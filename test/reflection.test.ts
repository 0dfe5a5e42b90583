import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServerReflection, type ServerReflectionRequestSchema } from '../gen/grpc/reflection/v1/reflection_pb.js'
import { ServerReflection as ServerReflectionAlpha } from '../gen/grpc/reflection/v1alpha/reflection_pb.js'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'

const root = resolve(import.meta.dirname, '..')
const run = promisify(execFile)

/** Every service that the contract has, but the relay, which has a port of its own. */
const declared = readdirSync(join(root, 'proto', 'lrs', 'v1'))
  .map((file) => readFileSync(join(root, 'proto', 'lrs', 'v1', file), 'utf8'))
  .flatMap((text) => [...text.matchAll(/^service (\w+)/gm)].map(([, name]) => `lrs.v1.${name}`))
  .filter((name) => name !== 'lrs.v1.RelayService')
  .concat('grpc.health.v1.Health', 'grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection')
  .sort()

let system: System
let baseUrl: string
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
  baseUrl = `http://127.0.0.1:${system.cores[0]!.port}`
})
afterAll(() => system.close())

type Question = MessageInitShape<typeof ServerReflectionRequestSchema>['messageRequest']

async function ask(...questions: Question[]) {
  const client = createClient(ServerReflection, createGrpcTransport({ baseUrl }))
  async function* requests() {
    for (const messageRequest of questions) yield { messageRequest }
  }
  const answers = []
  for await (const { messageResponse } of client.serverReflectionInfo(requests())) answers.push(messageResponse)
  return answers
}

describe('server reflection', () => {
  test('lists every service, in both versions, to every caller', async () => {
    const [answer] = await ask({ case: 'listServices', value: '*' })
    expect(answer!.case === 'listServicesResponse' && answer!.value.service.map(({ name }) => name).sort()).toEqual(
      declared,
    )
    const client = createClient(ServerReflectionAlpha, createGrpcTransport({ baseUrl }))
    async function* one() {
      yield { messageRequest: { case: 'listServices', value: '' } } as const
    }
    for await (const { messageResponse } of client.serverReflectionInfo(one())) {
      expect(messageResponse.case === 'listServicesResponse' && messageResponse.value.service).toHaveLength(
        declared.length,
      )
    }
  })

  test('describes files, symbols of all kinds and extensions, with all that they import', async () => {
    const symbols = [
      'lrs.v1.StatementService',
      'lrs.v1.StatementService.Follow',
      'lrs.v1.Statement',
      'lrs.v1.Statement.actor',
      'lrs.v1.Form',
      'lrs.v1.FORM_TYPED',
      'buf.validate.field',
    ]
    const answers = await ask(
      { case: 'fileByFilename', value: 'lrs/v1/statements.proto' },
      {
        case: 'fileContainingExtension',
        value: { containingType: 'google.protobuf.FieldOptions', extensionNumber: 1159 },
      },
      { case: 'allExtensionNumbersOfType', value: 'google.protobuf.FieldOptions' },
      ...symbols.map((value) => ({ case: 'fileContainingSymbol', value }) as const),
    )
    const names = answers.map((answer) =>
      answer.case === 'fileDescriptorResponse'
        ? answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name)
        : answer.case,
    )
    expect(names[0]).toEqual([
      'lrs/v1/statements.proto',
      'buf/validate/validate.proto',
      'google/protobuf/descriptor.proto',
      'lrs/v1/failure.proto',
      'lrs/v1/xapi.proto',
      expect.any(String),
    ])
    expect(names[1]![0]).toBe('buf/validate/validate.proto')
    expect(answers[2]).toMatchObject({ case: 'allExtensionNumbersResponse', value: { extensionNumber: [1159] } })
    expect(names.slice(3).map((one) => one?.[0])).toEqual([
      ...symbols.slice(0, 2).map(() => 'lrs/v1/statements.proto'),
      'lrs/v1/xapi.proto',
      'lrs/v1/xapi.proto',
      'lrs/v1/statements.proto',
      'lrs/v1/statements.proto',
      'buf/validate/validate.proto',
    ])
  })

  test('describes every message of the contract, the detail of errors too', async () => {
    const symbols = readdirSync(join(root, 'proto', 'lrs', 'v1'))
      .filter((file) => file !== 'relay.proto')
      .flatMap((file) =>
        [...readFileSync(join(root, 'proto', 'lrs', 'v1', file), 'utf8').matchAll(/^message (\w+)/gm)].map(
          ([, name]) => `lrs.v1.${name}`,
        ),
      )
    expect(symbols).toContain('lrs.v1.Failure')
    const answers = await ask(...symbols.map((value) => ({ case: 'fileContainingSymbol', value }) as const))
    expect(symbols.filter((_, n) => answers[n]?.case !== 'fileDescriptorResponse')).toEqual([])
  })

  test('says what there is not, and goes on', async () => {
    const answers = await ask(
      { case: 'fileContainingSymbol', value: 'lrs.v1.Nothing' },
      { case: 'fileByFilename', value: 'a.proto' },
      { case: 'allExtensionNumbersOfType', value: 'x.Y' },
      { case: undefined },
      { case: 'listServices', value: '' },
    )
    expect(answers.map((answer) => (answer.case === 'errorResponse' ? answer.value.errorCode : answer.case))).toEqual([
      5,
      5,
      5,
      3,
      'listServicesResponse',
    ])
  })

  test('is enough for buf curl, without any file of ours', async () => {
    const curl = async (...parameters: string[]) =>
      JSON.parse(
        (await run(join(root, 'node_modules', '.bin', 'buf'), ['curl', ...parameters], { cwd: tmpdir() })).stdout,
      )
    const limits = await curl(
      '--reflect',
      '--protocol',
      'grpc',
      '--http2-prior-knowledge',
      `${baseUrl}/lrs.v1.QuotaService/ListLimits`,
    )
    expect(limits.limits.length).toBeGreaterThan(10)
    const game = await curl(
      '--reflect',
      '-H',
      `Authorization: ${bearer(tokens.admin)}`,
      '-d',
      '{"name": "Go"}',
      `${baseUrl}/lrs.v1.IdentityService/CreateGame`,
    )
    expect(game.gameId).toMatch(/^[0-9a-f-]{36}$/)
  })
})
