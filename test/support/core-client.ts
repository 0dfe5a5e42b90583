import type { SecureClientSessionOptions } from 'node:http2'
import { createClient, type Client, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { DocumentService } from '../../gen/lrs/v1/documents_pb.js'
import { coreServices, type CoreClients } from '../../shared/core-services.ts'

export interface CoreClient extends CoreClients {
  readonly documents: Client<typeof DocumentService>
}

/** One connection to a core process, for callers with different credentials. */
export function coreConnection(port: number, tls?: SecureClientSessionOptions) {
  const baseUrl = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`
  const sessionManager = new Http2SessionManager(baseUrl, undefined, tls)
  return {
    as(authorization: string, headers: Record<string, string> = {}): CoreClient {
      const authorize: Interceptor = (next) => (request) => {
        request.header.set('authorization', authorization)
        for (const [name, value] of Object.entries(headers)) request.header.set(name, value)
        return next(request)
      }
      const transport = createConnectTransport({
        baseUrl,
        httpVersion: '2',
        sessionManager,
        interceptors: [authorize],
        useBinaryFormat: true,
      })
      const services = { ...coreServices, documents: DocumentService }
      const clients = Object.entries(services).map(([name, service]) => [name, createClient(service, transport)])
      return Object.fromEntries(clients) as CoreClient
    },
    close: () => sessionManager.abort(),
  }
}

export type CoreConnection = ReturnType<typeof coreConnection>
