import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import compression from 'compression'
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { Reason } from '../gen/lrs/v1/failure_pb.js'
import { webMeters } from '../shared/metrics/web-meters.ts'
import { listening, type Listening } from '../shared/process/listening.ts'
import { makeLog } from '../shared/process/log.ts'
import { ambiguityOf } from '../shared/headers.ts'
import { openStorage } from '../storage/open.ts'
import type { Storage } from '../storage/storage.ts'
import type { Config } from './config.ts'
import { coreClient, type CoreClient } from './web/core-client.ts'
import { failureIn, PageFailure, ruleLink, statusOf } from './web/failure.ts'
import { liveStreams } from './web/live-streams.ts'
import { failurePage } from './pages/parts/failure.ts'
import { assistantEndpoint } from './assistant/endpoint.ts'
import { accountsWing } from './routes/accounts/wing.ts'
import { analyticsWing } from './routes/analytics/wing.ts'
import { connectionsWing } from './routes/connections/wing.ts'
import { docs } from './routes/docs/docs.ts'
import { gameClient } from './routes/games/client.ts'
import { gamesWing } from './routes/games/wing.ts'
import { operatorPages } from './routes/operator/operator.ts'
import { recordsWing } from './routes/records/wing.ts'
import { health } from './web/health.ts'
import { securityHeaders } from './web/security-headers.ts'
import { page, type Portal, type Visit } from './web/visit.ts'

export interface RunningPortal extends Listening {
  readonly metrics: Registry
}

/** Parts of uploads may take 15 minutes, headers 10 seconds. */
const serverOptions = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15 * 60_000,
  connectionsCheckingInterval: 2000,
  keepAliveTimeout: 65_000,
}
/** A form has to arrive in this time. */
const formMs = 30_000
/** A connection without traffic for this long is closed. */
const silentMs = 60_000
/** Browsers ask each time, so a page and its scripts are of the same version; a font has its hash in its name. */
const revalidated = {
  cacheControl: false,
  setHeaders: (response: ServerResponse, path: string) =>
    response.setHeader('Cache-Control', path.endsWith('.woff2') ? 'public, max-age=31536000, immutable' : 'no-cache'),
}

/** Wires the developer portal and starts it. */
export async function createPortal(
  config: Config,
  overrides: { core?: CoreClient; log?: Logger; storage?: Storage; formMs?: number } = {},
): Promise<RunningPortal> {
  const log = overrides.log ?? makeLog('portal', config.logLevel, config.logFormat)
  const core = overrides.core ?? coreClient(config, log)
  const storage = overrides.storage ?? openStorage(config.storage)
  const meters = webMeters('portal')
  const app = createApp({ config, core, log, storage, live: liveStreams(log) }, overrides.formMs ?? formMs)
  const server = createServer(serverOptions, (request, response) => {
    meters.watch(request, response, () => routeOf(request as Request))
    app(request, response)
  })
  server.setTimeout(silentMs)
  const running = await listening(server, config)
  log.info({ port: running.port }, 'portal is ready')
  return { ...running, metrics: meters.registry }
}

function createApp(portal: Portal, formMs: number): Express {
  const app = express()
    .disable('x-powered-by')
    .set('trust proxy', portal.config.trustProxy)
    .set('query parser', 'simple')
  app.use(securityHeaders(portal.storage.uploadOrigins, portal.config.portalUrl))
  app.use((request, response, next) => {
    const found = ambiguityOf(request)
    if (found === undefined) return next()
    response.status(found.status).type('text/plain').send(`${found.message}\n`)
  })
  // responses with a secret say no-transform: they are not compressed, so their size reveals nothing (BREACH)
  app.use(compression())
  app.use('/public', express.static(join(import.meta.dirname, 'public'), revalidated))
  app.use(gameClient())
  app.use(health(portal.core))
  const { receive } = portal.storage
  if (receive) app.all('/storage/{*path}', (request, response) => receive(request, response))
  app.use(within(formMs), express.urlencoded({ extended: false, limit: '256kb', parameterLimit: 200 }))
  // the files of statements have addresses that could be those of a statement: connections come before records
  app.use(accountsWing(portal), gamesWing(portal), connectionsWing(portal), analyticsWing(portal), recordsWing(portal))
  app.use(docs(portal), operatorPages(portal), assistantEndpoint(portal))
  const nowhere = ({ path }: Request): never => {
    throw new PageFailure(Reason.NOT_FOUND, `There is no page at ${path}.`)
  }
  // with the header of who visits
  app
    .get(
      '{*path}',
      page(portal, ({ request }) => nowhere(request)),
    )
    .use(nowhere)
  app.use(answerFailure(portal))
  return app
}

/** Ends the connection of a request that has not arrived in this time, so that slow senders cannot hold it. */
const within =
  (milliseconds: number): RequestHandler =>
  (request, _response, next) => {
    const patience = setTimeout(() => request.complete || request.destroy(), milliseconds)
    request.once('close', () => clearTimeout(patience))
    next()
  }

/** The pattern of the route, for metrics; one word for paths without a route. */
function routeOf({ route, originalUrl }: Request): string {
  if (route) return String(route.path)
  return /^\/(public|client|storage)\//.exec(originalUrl)?.[1] ?? 'other'
}

/** Answers errors of handlers: with a page, as JSON to scripts, with the sign-in page to guests who need a session. */
function answerFailure({ log }: Portal): ErrorRequestHandler {
  return (error, request, response, next) => {
    const failure = failureIn(error)
    const status = statusOf(failure)
    if (status >= 500) log.error({ err: error, path: request.path }, 'a page failed')
    if (response.headersSent) return next(error)
    const visit = response.locals['visit'] as Visit | undefined
    response.status(status).set('Cache-Control', 'no-store')
    if (request.accepts(['html', 'json']) === 'json') {
      response.json({ error: failure.message, path: failure.path || undefined, link: ruleLink(failure.rule) })
    } else if (failure.reason === Reason.UNAUTHENTICATED && request.method === 'GET') {
      response.redirect(303, `/sign-in?next=${encodeURIComponent(request.originalUrl)}`)
    } else response.send(failurePage(visit, failure).text)
  }
}
