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
import { ambiguityOf } from '../shared/ambiguous.ts'
import { openStorage } from '../storage/open.ts'
import type { Storage } from '../storage/storage.ts'
import type { Config } from './config.ts'
import { coreClient, type CoreClient } from './core-client.ts'
import { failureIn, PageFailure, ruleLink, statusOf } from './failure.ts'
import { liveStreams } from './live-streams.ts'
import { failurePage } from './pages/parts/failure.ts'
import { activity } from './routes/activity.ts'
import { accounts } from './routes/accounts.ts'
import { gameClient } from './routes/client.ts'
import { beta } from './routes/beta.ts'
import { builds } from './routes/builds.ts'
import { classes } from './routes/classes.ts'
import { connections } from './routes/connections.ts'
import { credential } from './routes/credential.ts'
import { data } from './routes/data.ts'
import { docs } from './routes/docs.ts'
import { embed } from './routes/embed.ts'
import { games } from './routes/games.ts'
import { health } from './routes/health.ts'
import { invitations } from './routes/invitations.ts'
import { learners } from './routes/learners.ts'
import { limits } from './routes/limits.ts'
import { mail } from './routes/mail.ts'
import { media } from './routes/media.ts'
import { members } from './routes/members.ts'
import { ownStudios } from './routes/own-studios.ts'
import { notifications } from './routes/notifications.ts'
import { operatorPages } from './routes/operator.ts'
import { ownData } from './routes/own-data.ts'
import { packaging } from './routes/packaging.ts'
import { play } from './routes/play.ts'
import { published } from './routes/published.ts'
import { reporting } from './routes/reporting.ts'
import { retention } from './routes/retention.ts'
import { reviews } from './routes/reviews.ts'
import { sandbox } from './routes/sandbox.ts'
import { secondStep } from './routes/second-step.ts'
import { security } from './routes/security.ts'
import { sessions } from './routes/sessions.ts'
import { signInWith } from './routes/sign-in-with.ts'
import { statements } from './routes/statements.ts'
import { tokens } from './routes/tokens.ts'
import { takeStatements } from './routes/take-statements.ts'
import { studios } from './routes/studios.ts'
import { uploads } from './routes/uploads.ts'
import { webhooks } from './routes/webhooks.ts'
import { securityHeaders } from './security-headers.ts'
import { page, type Portal, type Visit } from './visit.ts'

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
/** Browsers ask each time, so a page and its scripts are of the same version. */
const revalidated = {
  cacheControl: false,
  setHeaders: (response: ServerResponse) => response.setHeader('Cache-Control', 'no-cache'),
}

/** Wires the developer portal and starts it. */
export async function createPortal(
  config: Config,
  overrides: { core?: CoreClient; log?: Logger; storage?: Storage; formMs?: number } = {},
): Promise<RunningPortal> {
  const log = overrides.log ?? makeLog('portal', config.logLevel, config.logFormat)
  const core = overrides.core ?? coreClient(config)
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
  app.use(mail(portal), notifications(portal))
  app.use(accounts(portal), signInWith(portal), secondStep(portal), security(portal), sessions(portal))
  app.use(studios(portal), activity(portal), tokens(portal), members(portal), ownStudios(portal))
  app.use(docs(portal), published(portal), limits(portal), packaging(portal), reporting(portal), media(portal))
  app.use(games(portal), uploads(portal), credential(portal), retention(portal), reviews(portal))
  app.use(builds(portal))
  app.use(connections(portal))
  app.use(webhooks(portal))
  app.use(
    sandbox(portal),
    classes(portal),
    invitations(portal),
    play(portal),
    beta(portal),
    embed(portal),
    ownData(portal),
  )
  app.use(data(portal), learners(portal), takeStatements(portal), statements(portal), operatorPages(portal))
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
