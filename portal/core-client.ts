import { createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { Health } from '../gen/grpc/health/v1/health_pb.js'
import { QuotaService } from '../gen/lrs/v1/quotas_pb.js'
import type { Config } from './config.ts'

export type CoreClient = ReturnType<typeof coreClient>

/** What the portal asks core, with the portal's service token. */
export function coreClient({ coreUrl, serviceToken }: Config) {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set('authorization', `Bearer ${serviceToken}`)
    return next(request)
  }
  const transport = createConnectTransport({ baseUrl: coreUrl, httpVersion: '1.1', interceptors: [authorize], defaultTimeoutMs: 5_000 })
  return { quotas: createClient(QuotaService, transport), health: createClient(Health, transport) }
}
