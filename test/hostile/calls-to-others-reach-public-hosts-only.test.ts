import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { SMTPServer } from 'smtp-server'
import { afterEach, expect, test } from 'vitest'
import { addressGuard } from '../../core/process/outgoing/address-guard.ts'
import { outgoing, type Outgoing } from '../../core/process/outgoing/outgoing.ts'
import { webCall } from '../../core/process/outgoing/web-call.ts'
import { outgoing as limits } from '../../shared/limits.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const local = ['127.0.0.0/8']
function started(allowed = local, seconds = 5): Outgoing {
  const calls = outgoing({ allowed, seconds, mailSeconds: seconds })
  ends.push(() => calls.close())
  return calls
}

async function listening(server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket)).listen(port, host)
  await once(server, 'listening')
  ends.push(() => (server.close(), sockets.forEach((socket) => socket.destroy())))
  return (server.address() as AddressInfo).port
}

const web = (listener: RequestListener, host?: string, port?: number) => listening(createServer(listener), host, port)

test('an answer comes back with status, headers and bytes', async () => {
  const port = await web((request, response) => {
    response.writeHead(201, { 'x-way': `${request.method} ${request.headers.host} ${request.headers['x-a']}` })
    request.pipe(response)
  })
  const body = 'a=ü'
  const answer = await started().guardedFetch({
    url: `http://a.localhost:${port}/x`,
    method: 'POST',
    headers: { 'x-a': '1' },
    body,
  })
  expect(answer).toMatchObject({ status: 201, headers: { 'x-way': `POST a.localhost:${port} 1` } })
  expect(Buffer.from(answer.body).toString()).toBe(body)
})

test('private addresses are not called, however they are written', async () => {
  let called = 0
  const port = await web((_request, response) => void (called++, response.end()))
  const { guardedFetch } = started([])
  const hosts = ['127.0.0.1', 'localhost', 'a.localhost', '2130706433', '0x7f.1', '0177.0.0.1', '[::1]', '0.0.0.0']
  for (const host of [...hosts, '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '169.254.169.254'])
    for (const protocol of ['http', 'https'])
      await expect(guardedFetch({ url: `${protocol}://${host}:${port}/` }), host).rejects.toThrow(
        /is no public host|https,/,
      )
  expect(called).toBe(0)
})

test('the connection goes to the address that was looked up, and nobody looks again', async () => {
  const answers = ['127.0.0.2', '127.0.0.3']
  const port = await web((_request, response) => response.end('right'), '127.0.0.2')
  await web((_request, response) => response.end('wrong'), '127.0.0.3', port)
  const way = { guard: addressGuard(['127.0.0.2']), seconds: 5, lookUp: async () => [answers.shift()!] }
  const url = `http://rebind.example:${port}/`
  expect(Buffer.from((await webCall({ url }, way)).body).toString()).toBe('right')
  await expect(webCall({ url }, way)).rejects.toThrow('is no public host')
  expect(answers).toEqual([])
})

test('a redirect is an answer, not a way', async () => {
  let followed = 0
  const port = await web((request, response) => {
    if (request.url === '/away') followed++
    response.writeHead(302, { location: '/away' }).end()
  })
  const answer = await started().guardedFetch({ url: `http://127.0.0.1:${port}/` })
  expect([answer.status, answer.headers['location'], followed]).toEqual([302, '/away', 0])
})

test('without TLS only a host that the operator names is called', async () => {
  const way = { guard: addressGuard([]), seconds: 5, lookUp: async () => ['1.1.1.1'] }
  await expect(webCall({ url: 'http://plain.example/' }, way)).rejects.toThrow('has to be called with https')
})

test('TLS names the host and checks its certificate, whatever the environment says', async () => {
  const names: string[] = []
  const tls = await listening(
    createTlsServer({ SNICallback: (name, done) => (names.push(name), done(new Error('no certificate'))) }),
  )
  const { guardedFetch } = started()
  await expect(guardedFetch({ url: `https://who.localhost:${tls}/` })).rejects.toThrow(/^The call to who\.localhost/)
  expect(names).toEqual(['who.localhost'])

  // its certificate is signed by itself
  const mailServer = new SMTPServer({ secure: true }).on('error', () => {})
  const signedByItself = await listening(mailServer.server)
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  process.env['HTTPS_PROXY'] = process.env['NODE_USE_ENV_PROXY'] = 'http://127.0.0.1:1'
  ends.push(() => {
    for (const name of ['NODE_TLS_REJECT_UNAUTHORIZED', 'HTTPS_PROXY', 'NODE_USE_ENV_PROXY']) delete process.env[name]
  })
  await expect(started().guardedFetch({ url: `https://localhost:${signedByItself}/` })).rejects.toThrow(
    /certificate of localhost:\d+ is not accepted/,
  )
})

test('too many bytes, compressed ones, a broken answer and headers of ours are refused in words', async () => {
  const port = await web((request, response) => {
    const [path] = request.url!.split('?')
    if (path === '/large') response.end(Buffer.alloc(limits.bytes + 1))
    else if (path === '/headers') response.writeHead(200, { x: 'x'.repeat(limits.headerBytes) }).end()
    else if (path === '/packed') response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
    else response.writeHead(200, { 'content-length': 10 }).write('x', () => response.destroy())
  })
  const { guardedFetch } = started()
  const at = (path: string) => guardedFetch({ url: `http://127.0.0.1:${port}${path}?secret` })
  await expect(at('/large')).rejects.toThrow('too many bytes')
  await expect(at('/packed')).rejects.toThrow('compressed')
  await expect(at('/headers')).rejects.toThrow('HPE_HEADER_OVERFLOW')
  await expect(at('/broken')).rejects.toThrow(/^The call to 127\.0\.0\.1:\d+ failed \(ECONNRESET\)\.$/)
  const url = `http://127.0.0.1:${port}/`
  await expect(guardedFetch({ url, headers: { Host: 'x' } })).rejects.toThrow('a header of its own')
  await expect(guardedFetch({ url, method: 'POST', body: 'x'.repeat(limits.sentBytes + 1) })).rejects.toThrow(
    'too large',
  )
  for (const wrong of ['ftp://a.example', 'x', `http://u:geheim@127.0.0.1:${port}/`])
    await expect(guardedFetch({ url: wrong })).rejects.toThrow(/^The address must be one such as https/)
})

test('a host that never answers takes its own time and slots only', async () => {
  const silent = await listening(createTcpServer())
  const slow = await web((_request, response) => {
    const timer = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(timer))
  })
  const quick = await web((_request, response) => response.end('x'))
  const { guardedFetch } = started(local, 1.5)
  const calls = Array.from({ length: limits.atOnceOfHost }, () =>
    guardedFetch({ url: `http://127.0.0.1:${silent}/` }).catch(String),
  )
  const dripping = guardedFetch({ url: `http://127.0.0.1:${slow}/` }).catch(String)
  await expect(guardedFetch({ url: `http://127.0.0.1:${silent}/` })).rejects.toThrow('Too many calls')
  expect((await guardedFetch({ url: `http://127.0.0.1:${quick}/` })).status).toBe(200)
  for (const outcome of [...(await Promise.all(calls)), await dripping])
    expect(outcome).toContain('did not answer in time')
})
