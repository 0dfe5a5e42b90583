import { createRegistry } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { coreTransport } from '../shared/core-agent.ts'
import { coreServices, type CoreClients } from '../shared/core-services.ts'
import type { Config } from './config.ts'

/** Of one message; core ends its pages after a few MiB. */
const readMaxBytes = 64 * 1024 * 1024

/** Every message that core answers with. */
export const messages = createRegistry(...Object.values(coreServices).map(({ file }) => file))

export type CoreClient = CoreClients

/** What an admin asks core. */
export function coreClient({ coreUrl, coreTls, token }: Config): CoreClient {
  const transport = coreTransport({ url: coreUrl, tls: coreTls, token }, { defaultTimeoutMs: 10_000, readMaxBytes })
  const clients = Object.entries(coreServices).map(([name, service]) => [name, createClient(service, transport)])
  return Object.fromEntries(clients) as CoreClient
}
