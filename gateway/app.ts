import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { makeLog } from '../shared/process/log.ts'
import { answerClientError } from './http/client-error.ts'
import { createCompressor } from './http/answer.ts'
import { createDrain } from './http/drain.ts'
import type { GatewayConfig } from './config.ts'
import { gatewayMeters, registerGauges } from './meters.ts'
import { createBodyBudget } from './http/body.ts'
import { createCallers } from './load/callers.ts'
import { createDownloadBudget } from './load/download-budget.ts'
import type { GatewayContext } from './context.ts'
import type { Relay } from './core-connection/relay.ts'
import { createRelay } from './core-connection/relay.ts'
import { serveExpectation } from './refuse.ts'
import { createRouter } from './serve.ts'

export interface Gateway {
  server: Server
  readonly metrics: Registry
  /** Accepts connections; returns the port. Rejects with EADDRINUSE when it is taken. */
  listen(): Promise<number>
  /** Accepts no more connections, finishes requests under way within 10 s, disconnects from core. */
  close(): Promise<void>
}

const closeMs = 10_000
const idleMs = 30_000

/** Room for the longest query, a launch token and what browsers add. */
const serverOptions = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 2000,
  keepAliveTimeout: 65_000,
  // serve.ts checks it, with a message
  requireHostHeader: false,
}

/** A gateway in this process, not listening yet. */
export function createGateway(config: GatewayConfig, overrides: { relay?: Relay; log?: Logger } = {}): Gateway {
  const log = overrides.log ?? makeLog('gateway', config.logLevel, config.logFormat)
  const { cores, serviceToken, relayTimeoutMs: timeoutMs, defaultVersion } = config
  const callers = createCallers()
  const relay = overrides.relay ?? createRelay({ cores, tls: config.coreTls, serviceToken, timeoutMs, log, callers })
  const meters = gatewayMeters()
  const gateway: GatewayContext = {
    relay,
    meters,
    log,
    defaultVersion,
    alternateSyntax: config.dialect === 'xapi',
    closing: false,
    budget: createBodyBudget({ max: 256 * 1024 * 1024 }),
    callers,
    trustProxy: config.trustProxy ?? 0,
    downloads: createDownloadBudget({ max: 96 * 1024 * 1024 }),
    drains: { strangers: createDrain(), accepted: createDrain() },
    compress: createCompressor(),
    streamMaxBytes: config.attachmentsMaxBytes,
  }
  const app = createRouter(gateway)
  const refuseExpectation = serveExpectation(gateway)
  const createListener = (): Server => {
    const server = createServer(serverOptions, app)
    // a client that reads nothing must not keep its answer in memory
    server.setTimeout(idleMs)
    // the handler sends 100 Continue after it has checked the headers
    server.on('checkContinue', app)
    server.on('checkExpectation', (request, response) => {
      refuseExpectation(request, response).catch(() => response.destroy())
    })
    server.on('clientError', (error, socket) => {
      meters.broken.inc()
      answerClientError(error, socket, defaultVersion)
    })
    return server
  }
  const server = createListener()
  const own = config.ownPort === undefined ? undefined : createListener()

  registerGauges(meters.registry, () => relay.figures(), {
    requests: () => gateway.budget.held,
    answers: () => gateway.downloads.held,
  })
  return {
    server,
    metrics: meters.registry,
    async listen() {
      // Linux then gives each new connection to one of the gateways on this port
      server.listen({ port: config.port, host: config.host, reusePort: own !== undefined })
      await once(server, 'listening')
      if (own) await once(own.listen(config.ownPort, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo
      log.info({ host: config.host, port }, 'listening')
      return port
    },
    async close() {
      gateway.closing = true
      await Promise.all([server, ...(own ? [own] : [])].map(closeServer))
      relay.close()
    },
  }
}

async function closeServer(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), closeMs)
  await new Promise((done) => server.close(done))
  clearTimeout(timer)
}
