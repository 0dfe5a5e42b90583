import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { webMeters } from '../shared/metrics/web-meters.ts'
import { listening, type Listening } from '../shared/process/listening.ts'
import { makeLog } from '../shared/process/log.ts'
import { ambiguityOf } from '../shared/headers.ts'
import { openStorageReader } from '../storage/open.ts'
import type { StorageReader } from '../storage/storage.ts'
import { answerClientError } from './client-error.ts'
import type { Config } from './config.ts'
import { coreClient, type CoreClient } from './core-client.ts'
import { edge } from './edge.ts'
import { encodedObject } from './encoded-object.ts'
import { headersOf, isLaunch, moves } from './file-headers.ts'
import { launchDocuments } from './launch-document.ts'
import { openFiles } from './open-files.ts'
import { isAtHome, fileAt, type Place } from './place.ts'
import { senderLimit } from './senders.ts'
import { sendObject } from '../storage/send-object.ts'

export interface RunningPlayer extends Listening {
  readonly metrics: Registry
}

const silentMs = 30_000
const unread = 'This game cannot be read right now. Try again in a moment.'

/** What a game may do in its frame. It has its origin only where no other game shares it. */
const sandbox = (apart: boolean): string =>
  `allow-scripts allow-pointer-lock allow-forms allow-modals${apart ? ' allow-same-origin' : ''}`

/** What SharedArrayBuffer needs, and with it threads of WebAssembly: also of the scripts of workers. */
const isolation = { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Opener-Policy': 'same-origin' }

/** Wires and starts the process that serves games. It reads no cookies and logs no query strings. */
export async function createPlayer(
  config: Config,
  overrides: { core?: CoreClient; storage?: StorageReader; log?: Logger } = {},
): Promise<RunningPlayer> {
  const log = overrides.log ?? makeLog('player', config.logLevel, config.logFormat)
  const core = overrides.core ?? coreClient(config, log)
  const storage = overrides.storage ?? openStorageReader(config.storage)
  const meters = webMeters('player')
  const launchOf = launchDocuments(core, config, senderLimit(config))
  const { gave, closed, watch } = edge(config, log)
  const open = openFiles(core, { limited: senderLimit(config), log }, closed)
  const headers = {
    'Content-Security-Policy': `sandbox ${sandbox(config.gamesUrl?.includes('*.') ?? false)}`,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Length, Content-Range, ETag',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...(config.gamesUrl?.startsWith('https:') && {
      'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
    }),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '/' } = request
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    const found = ambiguityOf(request)
    if (found !== undefined) return say(request, response, found.status, found.message)
    if (method === 'OPTIONS') return preflight(response)
    if (method !== 'GET' && method !== 'HEAD')
      return say(request, response, 405, 'Only GET and HEAD are allowed here.', { Allow: 'GET, HEAD, OPTIONS' })
    if (url === '/healthz') return json(request, response, 200, { status: 'ok' })
    if (url === '/readyz') return readyz(request, response)
    const place = fileAt(url)
    if (place?.isolated) for (const [name, value] of Object.entries(isolation)) response.setHeader(name, value)
    if (!place || !isAtHome(place, config.gamesUrl, request.headers.host)) return nothing(request, response)
    const secret = isLaunch(place) ? /^Bearer (.*)$/i.exec(request.headers.authorization ?? '')?.[1] : undefined
    if (secret !== undefined) return launch(request, response, place, secret)
    const verdict = await open.verdictOf(place, request)
    if (verdict === 'busy') return say(request, response, 503, unread, { 'Retry-After': '1' })
    const object = verdict === 'closed' ? undefined : await encodedObject(request, place, storage)
    if (!object) return nothing(request, response)
    if (verdict === 'public' && moves(request, place, object.size))
      return end(request, response, 307, '', { Location: url.slice(url.indexOf('/', 3)) })
    if (verdict === 'open') gave(place.buildId)
    await sendObject(request, response, object, headersOf(request, place, object.coding, config))
  }

  async function launch(
    request: IncomingMessage,
    response: ServerResponse,
    { buildId }: Place,
    secret: string,
  ): Promise<void> {
    const document = await launchOf(request, buildId, secret)
    if (document === undefined)
      return json(
        request,
        response,
        503,
        { message: 'Too many sessions are starting. Try again.' },
        { 'Retry-After': '1' },
      )
    if (document === null)
      return json(request, response, 404, { message: 'The session does not exist or has ended. Start the game again.' })
    return json(request, response, 200, document)
  }

  async function readyz(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reason = await core.trouble()
    if (reason === undefined) return json(request, response, 200, { status: 'ok' })
    return json(request, response, 503, { status: 'unavailable', reason })
  }

  const server = createServer(
    { maxHeaderSize: 32 * 1024, headersTimeout: 10_000, requestTimeout: 30_000 },
    (request, response) => {
      meters.watch(request, response, () => routeOf(request.url ?? ''))
      answer(request, response).catch((error: unknown) => {
        log.error({ err: error, method: request.method, path: shownPath(request.url) }, 'a request failed')
        if (response.headersSent) response.destroy()
        else say(request, response, 503, unread)
      })
    },
  )
  server.on('clientError', answerClientError)
  server.setTimeout(silentMs)
  const running = await listening(server, config)
  const unwatch = watch(open.again)
  log.info({ port: running.port }, 'player is ready')
  return { ...running, close: () => (unwatch(), running.close()), metrics: meters.registry }
}

/** For the log: without the query, and without what a signed path is signed with. */
const shownPath = (url = ''): string => url.split('?', 1)[0]!.replace(/^\/s\/[^/]*/, '/s/…')

function routeOf(url: string): string {
  const path = url.split('?', 1)[0]!
  if (path === '/healthz' || path === '/readyz') return path
  const place = fileAt(url)
  if (!place) return 'other'
  return isLaunch(place) ? 'launch' : place.kind
}

function preflight(response: ServerResponse): void {
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': 'Authorization, Range, If-None-Match, If-Range',
    'Access-Control-Max-Age': '86400',
  })
  response.end()
}

function nothing(request: IncomingMessage, response: ServerResponse): void {
  say(
    request,
    response,
    404,
    'There is no game at this address. A newer build may have replaced it. ' +
      'Go back to the page of the game and start it again.',
  )
}

/** An error page, for the frame and for a window. */
function say(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  sentence: string,
  headers: Record<string, string> = {},
): void {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width">
<title>${status}</title>
<main><h1>${status === 404 ? 'Not found' : 'Not available'}</h1><p>${sentence}</p></main></html>\n`
  end(request, response, status, page, {
    ...headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; sandbox",
  })
}

function json(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  value: object | string,
  headers: Record<string, string> = {},
): void {
  end(request, response, status, typeof value === 'string' ? value : JSON.stringify(value), {
    ...headers,
    'Content-Type': 'application/json',
  })
}

function end(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string>,
): void {
  for (const name of ['Content-Encoding', 'Content-Disposition', 'Content-Range', 'ETag', 'Accept-Ranges', 'Vary'])
    response.removeHeader(name)
  response.writeHead(status, { 'Cache-Control': 'no-store', ...headers, 'Content-Length': Buffer.byteLength(body) })
  response.end(request.method === 'HEAD' ? undefined : body)
}
