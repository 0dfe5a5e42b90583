import { createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { AccountService } from '../gen/lrs/v1/accounts_pb.js'
import { GameService } from '../gen/lrs/v1/games_pb.js'
import type { Config } from './config.ts'

export type CoreClient = ReturnType<typeof coreClient>

/** What an admin asks core. */
export function coreClient({ coreUrl, token }: Config) {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set('authorization', `Bearer ${token}`)
    return next(request)
  }
  const transport = createConnectTransport({ baseUrl: coreUrl, httpVersion: '1.1', interceptors: [authorize], defaultTimeoutMs: 10_000 })
  return { accounts: createClient(AccountService, transport), games: createClient(GameService, transport) }
}
