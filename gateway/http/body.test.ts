import type { IncomingMessage, ServerResponse } from 'node:http'
import { request } from 'node:http'
import { PassThrough } from 'node:stream'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readBody } from './body.ts'
import type { Stage } from '../../test/support/gateway.ts'
import { asked, asJson, learner, stage, usual } from '../../test/support/gateway.ts'

const mebibyte = 1024 * 1024
const statements = { path: '/xapi/statements', method: 'POST', limit: 2 * mebibyte, ok: 200 }
const state = {
  path: `/xapi/activities/state?activityId=a&agent=${learner}&stateId=s`,
  method: 'PUT',
  limit: mebibyte / 2,
  ok: 204,
}
const kinds = [statements, state]
const tooLarge = { error: 'Request body too large' }
const head =
  'Host: a\r\nAuthorization: Basic YTpi\r\nX-Experience-API-Version: 1.0.3\r\nContent-Type: application/json\r\n'

function content({ core }: Stage): Uint8Array {
  const { call } = core.requests.at(-1)!
  if (call.case === 'storeStatements') return call.value.json
  if (call.case === 'putDocument') return call.value.content
  throw new Error(`unexpected ${call.case}`)
}

describe.each(kinds)('$method $path', ({ path, method, limit, ok }) => {
  test('exactly the limit arrives, one byte more is 413', async () => {
    const on = await stage()
    const body = Buffer.alloc(limit, 'x')
    expect((await on.ask(method, path, { headers: asJson, body })).status).toBe(ok)
    expect(Buffer.compare(content(on), body)).toBe(0)
    const heard = await on.ask(method, path, { headers: asJson, body: Buffer.alloc(limit + 1) })
    expect(heard.status).toBe(413)
    expect(JSON.parse(heard.text)).toEqual(tooLarge)
    expect(asked(on.core).length).toBe(1)
  })

  test('the same without a length', async () => {
    const on = await stage()
    const chunked = { ...asJson, 'Transfer-Encoding': 'chunked' }
    expect((await on.ask(method, path, { headers: chunked, body: Buffer.alloc(limit, 'x') })).status).toBe(ok)
    const heard = await on.ask(method, path, { headers: chunked, body: Buffer.alloc(limit + 1) })
    expect(heard.status).toBe(413)
    expect(JSON.parse(heard.text)).toEqual(tooLarge)
    expect(heard.headers.connection).toBe('close')
  })

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
  ] as const)('%s: decoded within the limit, a bomb is 413', async (encoding, encode) => {
    const on = await stage()
    const headers = { ...asJson, 'Content-Encoding': encoding }
    const body = Buffer.alloc(limit, '{"a":1}')
    expect((await on.ask(method, path, { headers, body: encode(body) })).status).toBe(ok)
    expect(Buffer.compare(content(on), body)).toBe(0)
    for (const size of [limit + 1, 64 * mebibyte]) {
      const heard = await on.ask(method, path, { headers, body: encode(Buffer.alloc(size)) })
      expect(heard.status).toBe(413)
      expect(JSON.parse(heard.text)).toEqual(tooLarge)
    }
  })

  test('an unknown encoding is 415, a broken one 400', async () => {
    const { ask } = await stage()
    for (const encoding of ['zstd', 'gzip, gzip', 'constructor', 'aes128gcm']) {
      const heard = await ask(method, path, { headers: { ...asJson, 'Content-Encoding': encoding }, body: 'x' })
      expect(heard.status).toBe(415)
      expect(heard.headers['accept-encoding']).toBe('gzip, deflate, br')
    }
    const broken = await ask(method, path, { headers: { ...asJson, 'Content-Encoding': 'gzip' }, body: '{}' })
    expect(broken.status).toBe(400)
    const cut = gzipSync(Buffer.alloc(1000)).subarray(0, 15)
    expect((await ask(method, path, { headers: { ...asJson, 'Content-Encoding': 'gzip' }, body: cut })).status).toBe(
      400,
    )
  })

  test('too long a Content-Length is refused before the body is sent', async () => {
    const { port } = await stage()
    const headers = { ...asJson, 'Content-Length': limit + 1, Expect: '100-continue' }
    let asked = false
    const status = await new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
        resolve(response.statusCode)
        sent.destroy()
      })
      sent.on('continue', () => (asked = true)).on('error', reject)
      sent.flushHeaders()
    })
    expect(status).toBe(413)
    expect(asked).toBe(false)
  })

  test('Expect: 100-continue is answered where the headers are good', async () => {
    const { port } = await stage()
    const headers = { ...asJson, 'Content-Length': 2, Expect: '100-continue' }
    const status = await new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) =>
        resolve(response.statusCode),
      )
      sent.on('continue', () => sent.end('{}')).on('error', reject)
      sent.flushHeaders()
    })
    expect(status).toBe(ok)
  })

  test('a length that lies: what is beyond it ends the connection, what is too short never reaches core', async () => {
    const on = await stage()
    const heard = await on.raw(`${method} ${path} HTTP/1.1\r\n${head}Content-Length: 2\r\n\r\n{}{"more":1}\r\n\r\n`)
    expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${ok}`])
    const before = asked(on.core).length
    expect(before).toBe(1)
    const cut = request({
      host: '127.0.0.1',
      port: on.port,
      method,
      path,
      headers: { ...asJson, 'Content-Length': 10 },
      agent: false,
    })
    cut.on('error', () => {})
    cut.write('{}')
    setTimeout(() => cut.destroy(), 50)
    await new Promise((done) => cut.on('close', done))
    await new Promise((done) => setTimeout(done, 50))
    expect(asked(on.core).length).toBe(before)
    expect((await on.ask('GET', '/xapi/about')).status).toBe(200)
  })

  test('a broken chunk is 400', async () => {
    const { raw, ask } = await stage()
    const heard = await raw(`${method} ${path} HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n`)
    expect(heard).toMatch(/^HTTP\/1\.1 400 [^]*"message"/)
    expect((await ask('GET', '/xapi/about')).status).toBe(200)
  })
})

test('a body far beyond the limit still gets to see its 413', async () => {
  const { ask } = await stage()
  const heard = await ask('POST', '/xapi/statements', { headers: asJson, body: Buffer.alloc(6 * mebibyte) })
  expect(heard.status).toBe(413)
})

test('a body where none is wanted ends the connection, not the answer', async () => {
  const { ask } = await stage()
  const heard = await ask('GET', '/xapi/statements', { headers: { ...usual, 'Content-Length': 5 }, body: 'hello' })
  expect(heard.status).toBe(200)
  expect(heard.headers.connection).toBe('close')
})

test.each([
  ['application/json', 200],
  ['application/json; charset=utf-8', 200],
  ['Application/JSON;charset="UTF-8"', 200],
  ['application/json; profile=x', 200],
  ['application/json; charset=latin1', 400],
  [undefined, 400],
  ['text/plain', 400],
  ['application/jsonx', 400],
  ['multipart/form-data; boundary=x', 400],
])('statements with Content-Type %s: %s', async (type, status) => {
  const { ask } = await stage()
  const headers = type === undefined ? usual : { ...usual, 'Content-Type': type }
  const heard = await ask('POST', '/xapi/statements', { headers, body: '[]' })
  expect(heard.status).toBe(status)
  if (status === 400) expect(JSON.parse(heard.text).message).toContain('Content-Type')
})

test('bodies share a budget: beyond it 503, and every byte is given back', async () => {
  const budget = { held: 0, max: 100 }
  const read = (): { stream: PassThrough; body: Promise<Buffer> } => {
    const stream = new PassThrough()
    const incoming = Object.assign(stream, { headers: {} }) as unknown as IncomingMessage
    return { stream, body: readBody(incoming, {} as ServerResponse, 90, budget) }
  }
  const [first, second, third] = [read(), read(), read()]
  first.stream.end(Buffer.alloc(60))
  expect((await first.body).length).toBe(60)
  second.stream.write(Buffer.alloc(41))
  await expect(second.body).rejects.toMatchObject({ status: 503 })
  third.stream.write(Buffer.alloc(10))
  third.stream.destroy()
  await expect(third.body).rejects.toMatchObject({ status: 400 })
  expect(budget.held).toBe(60)
})

test('a refused request with a small body leaves the connection open for the next one', async () => {
  const { raw } = await stage()
  const refusable = (connection: string) =>
    `POST /xapi/statements HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(1000)}`
  const heard = await raw(refusable('keep-alive') + refusable('close'))
  expect(heard.match(/HTTP\/1.1 401/g)).toHaveLength(2)
})
