import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { createClient, type Interceptor } from '@connectrpc/connect'
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StatementService } from '../../gen/lrs/v1/statements_pb.js'
import { statement } from '../support/statements.ts'
import { bestOfThree, processorTime } from '../support/cost.ts'
import { startServices, type Services } from './services.ts'

let { system, game, baseUrl, post } = {} as Services
beforeAll(async () => {
  ;({ system, game, baseUrl, post } = await startServices())
})
afterAll(() => system.close())

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
