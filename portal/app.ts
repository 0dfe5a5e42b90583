import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import express from 'express'
import { pino, type Logger } from 'pino'
import { HealthCheckResponse_ServingStatus as ServingStatus } from '../gen/grpc/health/v1/health_pb.js'
import type { Config } from './config.ts'
import { coreClient, type CoreClient } from './core-client.ts'
import { html } from './html.ts'
import { layout } from './pages/layout.ts'
import { limitsPage } from './pages/limits.ts'

export interface RunningPortal {
  readonly port: number
  close(): Promise<void>
}

const contentSecurityPolicy = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Wires the developer portal and starts it. */
export async function createPortal(config: Config, overrides: { core?: CoreClient; log?: Logger } = {}): Promise<RunningPortal> {
  const log = overrides.log ?? pino({ level: config.logLevel, base: { process: 'portal' } })
  const core = overrides.core ?? coreClient(config)
  const app = express().disable('x-powered-by')

  app.use((_request, response, next) => {
    response.set({
      'Content-Security-Policy': contentSecurityPolicy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
    })
    next()
  })
  app.use('/public', express.static(join(import.meta.dirname, 'public'), { maxAge: '1h' }))
  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }))
  app.get('/readyz', async (_request, response) => {
    const serving = await core.health.check({}).then(({ status }) => status === ServingStatus.SERVING, () => undefined)
    if (serving) response.json({ status: 'ok' })
    else response.status(503).json({ status: 'unavailable', reason: serving === false ? 'the database does not answer' : 'core is not reached' })
  })
  app.get('/', (_request, response) => response.redirect('/limits'))
  app.get('/limits', async (_request, response) => {
    response.send(limitsPage((await core.quotas.listLimits({})).limits))
  })
  app.use((request, response) => {
    response.status(404).send(layout('Not found', html`<p>There is no page at ${request.path}. The <a href="/limits">limits and quotas</a> are public.</p>`))
  })
  app.use(((error, _request, response, next) => {
    log.error({ err: error }, 'a page failed')
    if (response.headersSent) return next(error)
    response.status(503).send(layout('Not available', html`<p>The record store cannot be reached right now. Try again in a moment.</p>`))
  }) as express.ErrorRequestHandler)

  const server = createServer(app)
  server.listen(config.port, config.host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  log.info({ port }, 'portal is ready')
  return {
    port,
    close: async () => {
      server.close()
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), 5_000).unref()
      await once(server, 'close')
    },
  }
}
