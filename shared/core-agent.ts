import { lookup } from 'node:dns'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent, type AgentOptions } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import { Code, ConnectError, type Client, type Interceptor, type Transport } from '@connectrpc/connect'
import { createConnectTransport, type ConnectTransportOptions } from '@connectrpc/connect-node'
import type { Logger } from 'pino'
import { HealthCheckResponse_ServingStatus as ServingStatus, type Health } from '../gen/grpc/health/v1/health_pb.js'
import type { CoreTls } from './tls/core-tls.ts'
import { readTlsFiles, watchTlsFiles } from './tls/tls-files.ts'

/** Milliseconds after which a connection takes no more calls, so that a core that joins gets its share. */
const longestMs = 10_000

interface Way {
  readonly tls?: CoreTls | undefined
  /** Without one, TLS files are read once. */
  readonly log?: Logger
  readonly look?: typeof lookup
}

/**
 * The connections of portal, player and command line to core. Each new connection goes to the next address of core's
 * name, or to the one after it while that one cannot be reached (Node tries all addresses).
 */
export function coreAgent(coreUrl: string, { tls = {}, log, look = lookup }: Way = {}): HttpAgent | HttpsAgent {
  let turn = 0
  const next: LookupFunction = (name, options, done) =>
    look(name, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '')
      const sorted = found.toSorted((a, b) => (a.address < b.address ? -1 : 1))
      const first = turn++ % sorted.length
      const all = [...sorted.slice(first), ...sorted.slice(0, first)]
      if (options.all) done(null, all)
      else done(null, all[0]!.address, all[0]!.family)
    })
  const options = { keepAlive: true, timeout: 5_000, scheduling: 'fifo', lookup: next } as const
  const agent = coreUrl.startsWith('https:') ? secureAgent(options, tls, log) : new HttpAgent(options)
  const opened = new WeakMap<Duplex, number>()
  const keeps = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean
  // asked after each answer: whether the connection stays open
  return Object.assign(agent, {
    keepSocketAlive(socket: Duplex): boolean {
      const since = opened.get(socket) ?? performance.now()
      opened.set(socket, since)
      return performance.now() - since < longestMs && keeps(socket)
    },
  })
}

/** New connections use the TLS files of the moment. */
function secureAgent(options: AgentOptions, { name, ...files }: CoreTls, log: Logger | undefined): HttpsAgent {
  const agent = new HttpsAgent({ ...options, ...(name && { servername: name }), ...readTlsFiles(files) })
  if (log) watchTlsFiles(files, log).onChange((material) => Object.assign(agent.options, material))
  return agent
}

interface ToCore extends Way {
  readonly url: string
  /** Undefined: each call brings its own Authorization. */
  readonly token?: string
}

/** The calls of portal, player and command line to core, with their token. */
export function coreTransport(
  { url, token, ...way }: ToCore,
  options: Pick<ConnectTransportOptions, 'defaultTimeoutMs' | 'readMaxBytes' | 'acceptCompression'>,
): Transport {
  const authorize: Interceptor = (next) => (request) => {
    if (token !== undefined) request.header.set('authorization', `Bearer ${token}`)
    return next(request)
  }
  return createConnectTransport({
    baseUrl: url,
    httpVersion: '1.1',
    nodeOptions: { agent: coreAgent(url, way) },
    interceptors: [authorize],
    ...options,
  })
}

/** Why core cannot serve, as text; undefined: it can. @param role of the process that asks */
export const coreTrouble = (health: Client<typeof Health>, role: 'portal' | 'player'): Promise<string | undefined> =>
  health.check({}).then(
    ({ status }) => (status === ServingStatus.SERVING ? undefined : 'the database does not answer'),
    (error: unknown) =>
      ConnectError.from(error).code === Code.Unauthenticated
        ? `core refuses the service token of this ${role}: ` +
          `LRS_SERVICE_TOKEN has to be the one that LRS_SERVICE_TOKENS of core has for ${role}`
        : 'core is not reached',
  )
