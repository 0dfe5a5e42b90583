import { createHash, hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { create } from '@bufbuild/protobuf'
import { createRouterTransport } from '@connectrpc/connect'
import { pino } from 'pino'
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../gen/grpc/health/v1/health_pb.js'
import { LimitSchema, QuotaService } from '../gen/lrs/v1/quotas_pb.js'
import { rawRequest } from '../test/support/raw-request.ts'
import { portalConfig } from '../test/support/stub-core.ts'
import { createPortal, type RunningPortal } from './app.ts'
import { clientsOn } from './web/core-client.ts'

let isUp = true
let portal: RunningPortal

/** A core that has one limit, with markup in it. */
const transport = createRouterTransport(({ service }) => {
  const limit = create(LimitSchema, {
    group: 'LRS request limits',
    subject: 'POST <b>&"\'',
    limit: '120 per minute',
    keyedBy: 'credential',
    notes: '',
  })
  service(QuotaService, {
    listLimits: () => {
      if (!isUp) throw new Error('down')
      return { limits: [limit] }
    },
  })
  service(Health, { check: () => ({ status: isUp ? ServingStatus.SERVING : ServingStatus.NOT_SERVING }) })
})
const core = clientsOn(transport)
const config = portalConfig()

const get = async (path: string) => {
  const response = await fetch(`http://127.0.0.1:${portal.port}${path}`)
  return { status: response.status, headers: response.headers, body: await response.text() }
}

beforeAll(async () => {
  portal = await createPortal(config, { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())

test('the page of limits shows what core enforces, as text', async () => {
  const { status, headers, body } = await get('/limits')
  expect(status).toBe(200)
  expect(body).toContain('POST &lt;b&gt;&amp;&quot;&#39;')
  expect(body).toContain('120 per minute')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect((await get('/public/site.css')).status).toBe(200)
})

test('the display face is loaded early, kept for good, and has its licence beside it', async () => {
  const [, face] = /rel="preload" href="([^"]+)"/.exec((await get('/limits')).body)!
  const response = await fetch(`http://127.0.0.1:${portal.port}${face}`)
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const hash = createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex')
  expect(face).toContain(`-${hash.slice(0, 8)}.woff2`)
  expect((await get('/public/site.css')).body).toContain(`url('${face}')`)
  expect((await get('/public/fonts/OFL.txt')).body).toContain('Bricolage Grotesque')
})

test('a page that there is not says so, with the path as text', async () => {
  const { status, body } = await get('/<script>')
  expect(status).toBe(404)
  expect(body).not.toContain('<script>')
})

test('a transfer coding that Node does not decode is refused', async () => {
  const said = await rawRequest(
    `http://127.0.0.1:${portal.port}`,
    'POST /limits HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
  )
  expect(said).toMatch(/^HTTP\/1\.1 501 [^]*Transfer-Encoding: must be chunked/)
})

test('two Hosts, of which a proxy may have gone by the other one, are refused', async () => {
  const said = await rawRequest(
    `http://127.0.0.1:${portal.port}`,
    'GET /limits HTTP/1.1\r\nHost: a.example\r\nhost: b.example\r\nConnection: close\r\n\r\n',
  )
  expect(said).toMatch(/^HTTP\/1\.1 400 [^]*host: this header must be given only once/i)
})

test('without core: alive, not ready, and a page that says so', async () => {
  isUp = false
  expect((await get('/healthz')).status).toBe(200)
  expect(await get('/readyz')).toMatchObject({
    status: 503,
    body: '{"status":"unavailable","reason":"the database does not answer"}',
  })
  expect(await get('/limits')).toMatchObject({
    status: 503,
    body: expect.stringContaining('cannot be reached right now'),
  })
  isUp = true
  expect((await get('/readyz')).status).toBe(200)
})

test('the client for games is there for pages of other origins: each released version for good, and the newest', async () => {
  const released: Record<string, Record<string, string>> = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', 'clients', 'javascript', 'released.json'), 'utf8'),
  )
  const versions = Object.keys(released)
  expect(versions).toContain('0.3.0')
  const crossOrigin = ({ headers }: Response): unknown[] => [
    headers.get('access-control-allow-origin'),
    headers.get('cross-origin-resource-policy'),
  ]
  for (const version of versions) {
    const file = 'games-lrs.global.js'
    const { headers, body, status } = await get(`/client/${version}/${file}`)
    expect([status, `sha384-${hash('sha384', body, 'base64')}`]).toEqual([200, released[version]![file]])
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(crossOrigin({ headers } as Response)).toEqual(['*', 'cross-origin'])
  }
  for (const file of ['games-lrs.js', 'games-lrs.global.js', 'games-lrs.d.ts']) {
    const newest = await get(`/client/${file}`)
    expect([newest.status, newest.headers.get('cache-control')], file).toEqual([200, 'no-cache'])
    expect(newest.headers.get('access-control-allow-origin')).toBe('*')
  }
  for (const path of [
    '/client/0.0.9/games-lrs.js',
    '/client/package.json',
    '/client/released.json',
    '/client/..%2fpackage.json',
    `/client/${versions[0]}`,
    `/client/${versions[0]}/`,
  ])
    expect((await get(path)).status, path).toBe(404)
})

test('a form that comes byte by byte is ended, a GET is not', async () => {
  isUp = true
  const short = await createPortal(config, { core, log: pino({ level: 'silent' }), formMs: 300 })
  onTestFinished(() => short.close())
  const open = (head: string) => {
    const socket = connect(short.port, '127.0.0.1')
      .on('error', () => {})
      .resume()
    socket.write(`${head} HTTP/1.1\r\nHost: x\r\n`)
    return socket
  }
  const page = open('GET /limits')
  page.write('\r\n')
  const slow = open('POST /sign-in')
  slow.write('Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n')
  const drip = setInterval(() => slow.write('a'), 50)
  // once() of node:events would fail on a reset, which is an end too
  await new Promise((done) => slow.once('close', done))
  clearInterval(drip)
  expect(page.destroyed).toBe(false)
  page.destroy()
})
