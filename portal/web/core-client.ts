import type { DescService } from '@bufbuild/protobuf'
import { createClient, type Transport } from '@connectrpc/connect'
import type { Logger } from 'pino'
import { coreTransport } from '../../shared/core-agent.ts'
import { coreServices, type CoreClients } from '../../shared/core-services.ts'
import type { Config } from '../config.ts'

export interface CoreClient extends CoreClients {
  /** The same for a visitor, whose address and request the audit log names. */
  of(senderIp: string, requestId: string): CoreClient
  /** The same for a signed-in studio. */
  as(session: string): CoreClient
  /** Statements of the game with this key. The key must come from a Game that core returned to this visitor. */
  onBehalf(key: string): CoreClients['statements']
}

/** Options of calls that take minutes. */
export const slow = { timeoutMs: 15 * 60_000 }
/** Options of streams without an end. */
export const endless = { timeoutMs: 0 }

type Place = Pick<Config, 'coreUrl' | 'coreTls'>
const options = { defaultTimeoutMs: 10_000, acceptCompression: [] }

/** Clients of core's services, with the portal's service token. */
export const coreClient = ({ coreUrl, coreTls, serviceToken }: Place & Pick<Config, 'serviceToken'>, log: Logger) =>
  clientsOn(coreTransport({ url: coreUrl, tls: coreTls, token: serviceToken, log }, options))

/** The function for clients that call with a personal token in place of the portal's. */
export function tokenClients({ coreUrl, coreTls }: Place, log: Logger): (token: string) => CoreClient {
  const transport = coreTransport({ url: coreUrl, tls: coreTls, log }, options)
  return (token) => clientsOn(withHeader(transport, 'authorization', `Bearer ${token}`))
}

/** A client of each service, made when it is first asked for. */
export function clientsOn(transport: Transport): CoreClient {
  const others: Pick<CoreClient, 'of' | 'as' | 'onBehalf'> = {
    of: (senderIp, requestId) =>
      clientsOn(withHeader(withHeader(transport, 'x-lrs-sender', senderIp), 'x-request-id', requestId)),
    as: (session) => clientsOn(withHeader(transport, 'x-lrs-session', session)),
    onBehalf: (key) => createClient(coreServices.statements, withHeader(transport, 'x-lrs-credential', key)),
  }
  const made = new Map<string, unknown>()
  return new Proxy(others as CoreClient, {
    get(target, name: keyof typeof coreServices) {
      if (!Object.hasOwn(coreServices, name)) return Reflect.get(target, name) as unknown
      if (!made.has(name)) made.set(name, createClient(coreServices[name] as DescService, transport))
      return made.get(name)
    },
  })
}

function withHeader(transport: Transport, name: string, value: string): Transport {
  const add = (header: ConstructorParameters<typeof Headers>[0]): Headers => {
    const headers = new Headers(header)
    headers.set(name, value)
    return headers
  }
  return {
    unary: (method, signal, timeout, header, input, values) =>
      transport.unary(method, signal, timeout, add(header), input, values),
    stream: (method, signal, timeout, header, input, values) =>
      transport.stream(method, signal, timeout, add(header), input, values),
  }
}
