import type { IncomingMessage, ServerResponse } from 'node:http'
import { request } from 'node:http'
import { PassThrough } from 'node:stream'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createBodyBudget, readBody } from './body.ts'
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

describe('the budget of bodies', () => {
  /** A body that arrives as it is written. Who is no stranger is accepted from the start, and a stranger when asked. */
  function bodies(max: number, limit = 10 * mebibyte) {
    let time = 0
    const budget = createBodyBudget({ max, now: () => time })
    const read = (isAccepted = true, headers: Record<string, string> = {}) => {
      const stream = new PassThrough()
      const incoming = Object.assign(stream, { headers }) as unknown as IncomingMessage
      const body = budget.begin(isAccepted)
      let asked = 0
      const expectAccepted = async () => void asked++
      const done = readBody(incoming, {} as ServerResponse, limit, { body, expectAccepted })
      done.catch(() => {})
      const write = async (size: number) => {
        stream.write(Buffer.alloc(size))
        await new Promise((next) => setImmediate(next))
      }
      return { body, stream, done, write, asked: () => asked }
    }
    return { budget, read, pass: (ms: number) => (time += ms) }
  }

  test('beyond it the slowest is ended, and every byte is given back', async () => {
    const { budget, read, pass } = bodies(100)
    const [first, slow] = [read(), read()]
    await first.write(10)
    await slow.write(50)
    first.stream.end(Buffer.alloc(10))
    expect((await first.done).length).toBe(20)
    pass(501)
    const third = read()
    await third.write(60)
    await expect(slow.done).rejects.toMatchObject({ status: 503 })
    expect(budget.held).toBe(80)
    // nobody is slow: who comes next is refused
    const last = read()
    await last.write(30)
    await expect(last.done).rejects.toMatchObject({ status: 503 })
    third.stream.destroy()
    await expect(third.done).rejects.toMatchObject({ status: 400 })
    expect(budget.held).toBe(20)
    first.body.done()
    expect(budget.held).toBe(0)
  })

  test('strangers have a quarter of it, and give way to those whom core has accepted', async () => {
    const { budget, read } = bodies(400)
    const strangers = Array.from({ length: 12 }, () => read(false))
    for (const { write } of strangers) await write(10)
    expect(budget.held).toBe(100)
    const known = read()
    await known.write(350)
    expect(budget.held).toBeLessThanOrEqual(400)
    known.stream.end()
    expect((await known.done).length).toBe(350)
    // the reserve: strangers alone never fill it
    for (const { write } of strangers.slice(0, 3)) await write(10)
    expect(budget.held).toBeLessThanOrEqual(400)
  })

  test('a large body of a stranger waits at 64 KB until core accepts its caller, with a length at byte 0', async () => {
    const { read } = bodies(100 * mebibyte)
    const small = read(false)
    await small.write(64 * 1024)
    expect(small.asked()).toBe(0)
    await small.write(1)
    expect(small.asked()).toBe(1)
    expect(read(false, { 'content-length': '65537' }).asked()).toBe(1)
    expect(read(false, { 'content-length': '65536' }).asked()).toBe(0)
    expect(read(false, { 'content-encoding': 'gzip' }).asked()).toBe(1)
  })

  test('who sends no 32 KB in 10 s is ended: 503', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { budget, read, pass } = bodies(100 * mebibyte)
    const [slow, steady] = [read(), read()]
    await slow.write(mebibyte)
    for (let second = 0; second < 12; second++) {
      pass(1000)
      await slow.write(1)
      await steady.write(8 * 1024)
      vi.advanceTimersByTime(1000)
    }
    await expect(slow.done).rejects.toMatchObject({ status: 503 })
    expect(budget.held).toBe(12 * 8 * 1024)
  })
})

test('a refused request with a small body leaves the connection open for the next one', async () => {
  const { raw } = await stage()
  const refusable = (connection: string) =>
    `POST /xapi/statements HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nContent-Length: 1000\r\n\r\n` +
    'x'.repeat(1000)
  const heard = await raw(refusable('keep-alive') + refusable('close'))
  expect(heard.match(/HTTP\/1.1 401/g)).toHaveLength(2)
})
