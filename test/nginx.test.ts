import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../gen/grpc/health/v1/health_pb.js'
import { eventually, freePorts, temporaryFolder } from '../start/fixtures/launch.ts'
import { startSystem, type System } from './support/system.ts'
import { statement, statements } from './support/statements.ts'

const hasNginx = spawnSync('nginx', ['-v']).status === 0
if (!hasNginx)
  process.stderr.write(
    'nginx is not installed: ops/nginx/games-lrs.conf is NOT tested (Debian: apt-get install nginx-light)\n',
  )

/** What stands for a portal: tells the headers that it got, sends events as the portal does, counts bodies. */
function standIn(): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/events') {
      response
        .writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
        .write('data: first\n\n')
      return
    }
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (request.url === '/storage/first' && !response.headersSent) response.writeHead(200).end('seen')
    })
    request.on('end', () => !response.headersSent && response.end(JSON.stringify({ headers: request.headers, bytes })))
  })
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)))
}

describe.runIf(hasNginx)('ops/nginx/games-lrs.conf', () => {
  let system: System
  let portal: Server
  let nginx: ChildProcess
  let [xapiPort, corePort] = [0, 0]

  beforeAll(async () => {
    system = await startSystem({ cores: 2, gateways: 2 })
    portal = await standIn()
    const folder = temporaryFolder()
    ;[xapiPort, corePort] = (await freePorts(2)) as [number, number]
    const portOf = (url: string) => new URL(url).port
    const replaced: [string | RegExp, string][] = [
      ['127.0.0.1:8080', `127.0.0.1:${portOf(system.urls[0]!)}`],
      ['127.0.0.1:8180', `127.0.0.1:${portOf(system.urls[1]!)}`],
      ['127.0.0.1:8081', `127.0.0.1:${(portal.address() as AddressInfo).port}`],
      ['127.0.0.1:8084', `127.0.0.1:${(portal.address() as AddressInfo).port}`],
      ['127.0.0.1:8082', `127.0.0.1:${system.cores[0]!.port}`],
      ['127.0.0.1:8182', `127.0.0.1:${system.cores[1]!.port}`],
      ['127.0.0.1:8090', `127.0.0.1:${corePort}`],
      [/listen 443 ssl/g, `listen 127.0.0.1:${xapiPort}`],
      [/^ *ssl_.*$/gm, ''],
      [/access_log \S+ lrs;/g, `access_log ${folder}/access.log lrs;`],
    ]
    let conf = readFileSync(resolve(import.meta.dirname, '..', 'ops/nginx/games-lrs.conf'), 'utf8')
    for (const [from, to] of replaced) {
      const before = conf
      conf = conf.replaceAll(from, to)
      if (conf === before) throw new Error(`there is no ${from} in the configuration`)
    }
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    )
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;\nevents {}\nhttp {\n${temporary.join('\n')}\n${conf}\n}\n`,
    )
    nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
      stdio: 'inherit',
    })
    await eventually(
      () =>
        ask('lrs.example.org', '/xapi/about').then(
          ({ status }) => status === 200,
          () => false,
        ),
      () => `nginx serves: ${readFileSync(join(folder, 'error.log'), 'utf8')}`,
    )
  })
  afterAll(async () => {
    const over = new Promise((done) => nginx.once('exit', done))
    nginx.kill('SIGTERM')
    await over
    portal.closeAllConnections()
    portal.close()
    await system.close()
  })

  /** A request to one of the servers behind nginx; `first`: the body goes on, and the first bytes of the answer are enough. */
  const ask = (
    host: string,
    path: string,
    {
      method = 'GET',
      headers = {},
      body,
      first = false,
    }: { method?: string; headers?: Record<string, string>; body?: Buffer; first?: boolean } = {},
  ) =>
    new Promise<{ status: number; text: string }>((done, fail) => {
      const asking = request(
        { host: '127.0.0.1', port: xapiPort, path, method, headers: { host, ...headers }, agent: false },
        (response) => {
          let text = ''
          response.on('data', (chunk) => {
            text += chunk
            if (first) {
              done({ status: response.statusCode!, text })
              asking.destroy()
            }
          })
          response.on('end', () => done({ status: response.statusCode!, text })).on('error', fail)
        },
      )
      asking.on('error', fail)
      if (body && first) asking.write(body)
      else asking.end(body)
    })

  test('statements and queries over two gateways and two cores; one gateway goes, nothing fails', async () => {
    const game = await system.game()
    const headers = {
      authorization: `Basic ${Buffer.from(`${game.key}:${game.secret}`).toString('base64')}`,
      'x-experience-api-version': '1.0.3',
      'content-type': 'application/json',
    }
    const post = (body: unknown) =>
      ask('lrs.example.org', '/xapi/statements', { method: 'POST', headers, body: Buffer.from(JSON.stringify(body)) })
    for (let n = 0; n < 10; n++) expect((await post(statements(3))).status).toBe(200)
    await system.gateways[0]!.close()
    for (let n = 0; n < 10; n++) expect((await post(statement())).status).toBe(200)
    const { status, text } = await ask('lrs.example.org', '/xapi/statements?limit=100', { headers })
    expect(status).toBe(200)
    expect((JSON.parse(text) as { statements: unknown[] }).statements.length).toBe(40)
    // the gateway's own words reach the client, also for what is too large and for long queries
    expect(
      JSON.parse(
        (
          await ask('lrs.example.org', '/xapi/statements', {
            method: 'POST',
            headers,
            body: Buffer.alloc(3 * 1024 * 1024, 32),
          })
        ).text,
      ),
    ).toEqual({ error: 'Request body too large' })
    expect(
      (await ask('lrs.example.org', `/xapi/statements?activity=https://x.example/${'a'.repeat(12_000)}`, { headers }))
        .status,
    ).toBe(200)
    expect((await ask('lrs.example.org', '/metrics')).status).toBe(404)
  })

  test('the portal hears who really asks, and its events arrive at once', async () => {
    const { text } = await ask('studio.example.org', '/x', {
      headers: { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    })
    const { headers } = JSON.parse(text) as { headers: Record<string, string> }
    expect(headers).toMatchObject({
      host: 'studio.example.org',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
    })
    expect(headers).not.toHaveProperty('x-forwarded-host')
    expect(await ask('studio.example.org', '/events', { first: true })).toEqual({
      status: 200,
      text: 'data: first\n\n',
    })
  })

  test('parts of uploads go straight through, larger bodies do not', async () => {
    const part = Buffer.alloc(16 * 1024 * 1024)
    expect(
      JSON.parse((await ask('studio.example.org', '/storage/one', { method: 'PUT', body: part })).text),
    ).toMatchObject({ bytes: part.length })
    expect(
      (
        await ask('studio.example.org', '/storage/first', {
          method: 'PUT',
          headers: { 'content-length': `${part.length}` },
          body: part.subarray(0, 1024 * 1024),
          first: true,
        })
      ).text,
    ).toBe('seen')
    expect(
      (await ask('studio.example.org', '/games/new', { method: 'POST', body: Buffer.alloc(2 * 1024 * 1024) })).status,
    ).toBe(413)
  })

  test('core answers portal and player through it', async () => {
    const health = createClient(
      Health,
      createConnectTransport({ baseUrl: `http://127.0.0.1:${corePort}`, httpVersion: '1.1' }),
    )
    for (let n = 0; n < 4; n++) expect((await health.check({})).status).toBe(ServingStatus.SERVING)
    for await (const { status } of health.watch({})) {
      expect(status).toBe(ServingStatus.SERVING)
      break
    }
  })
})
