import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { Health } from '../../../gen/grpc/health/v1/health_pb.js'
import { blameCaller } from './broken-message.ts'

test.each([
  ['an error that nobody expected', new TypeError('parse binary: of ours'), 'internal error'],
  ['an internal error', new ConnectError('of ours', Code.Internal), 'of ours'],
  ['what cannot be written', new ConnectError('serialize binary: of ours', Code.Internal), 'serialize binary: of ours'],
])('%s stays internal', async (_about, error, message) => {
  const fail = () => {
    throw error
  }
  // oxlint-disable-next-line require-yield
  const watch = async function* () {
    fail()
  }
  const client = createClient(
    Health,
    createRouterTransport((router) => router.service(Health, { check: fail, watch }), {
      router: { requestGate: blameCaller },
    }),
  )
  await expect(client.check({})).rejects.toMatchObject({ code: Code.Internal, rawMessage: message })
  await expect(client.watch({})[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: Code.Internal,
    rawMessage: message,
  })
})
