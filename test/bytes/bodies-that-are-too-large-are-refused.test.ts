import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rawRequest } from '../support/raw-request.ts'
import { statement, statements } from '../support/statements.ts'
import { MiB, withExtension, startBytes, type Bytes } from './bytes.ts'

let { system, game, xapi } = {} as Bytes
beforeAll(async () => {
  ;({ system, game, xapi } = await startBytes())
})
afterAll(() => system.close())

describe('bodies that are too large', () => {
  const tooLarge = { error: 'Request body too large' }
  /** Valid JSON of exactly this many bytes. */
  const ofSize = (bytes: number) => {
    const empty = withExtension('""')
    return withExtension(`"${'x'.repeat(bytes - empty.length)}"`)
  }
  const inChunks = (text: string) =>
    new ReadableStream({ start: (controller) => (controller.enqueue(Buffer.from(text)), controller.close()) })

  test('251 statements are 413, 250 are stored', async () => {
    const reply = await xapi.post(statements(251))
    expect(reply.status).toBe(413)
    expect(reply.json).toEqual({ error: expect.stringMatching(/max 250 statements/) })
    expect((await xapi.post(statements(250))).status).toBe(200)
  })

  test('2 MiB are stored, one byte more is 413, with Content-Length and without', async () => {
    expect((await xapi.post(ofSize(2 * MiB))).status).toBe(200)
    expect((await xapi.post(inChunks(ofSize(2 * MiB)))).status).toBe(200)
    for (const body of [ofSize(2 * MiB + 1), inChunks(ofSize(2 * MiB + 1))]) {
      const reply = await xapi.post(body)
      expect(reply.status).toBe(413)
      expect(reply.json).toEqual(tooLarge)
    }
  })

  test('a Content-Length that lies is 400 or 413, and neighbours are served', async () => {
    const body = JSON.stringify(statement())
    const head = (length: number) =>
      `POST /xapi/statements HTTP/1.1\r\nHost: x\r\nAuthorization: ${game.authorization}\r\nX-Experience-API-Version: 1.0.3\r\n` +
      `Content-Type: application/json\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`
    expect(await rawRequest(xapi.url, head(3 * MiB) + body)).toMatch(/^HTTP\/1.1 413 /)
    expect(await rawRequest(xapi.url, head(10) + body)).toMatch(/^HTTP\/1.1 400 /)
    expect((await xapi.get({ limit: 1 })).status).toBe(200)
  })

  test('a body in a Transfer-Encoding that is none is 400, or what the address is, and never nothing', async () => {
    const head = (line: string) => `${line} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n`
    for (let times = 0; times < 5; times++) {
      expect(await rawRequest(xapi.url, head('GET /nothing'))).toMatch(/^HTTP\/1.1 40[04] [^]*\}$/)
      expect(await rawRequest(xapi.url, head('POST /xapi/statements'))).toMatch(/^HTTP\/1.1 40[01] [^]*\}$/)
    }
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    // its default takes seconds
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])('a bomb in %s is 413, a small body is stored', async (encoding, compress) => {
    const reply = await xapi.post(compress(Buffer.alloc(100 * MiB, ' ')), { 'content-encoding': encoding })
    expect(reply.status).toBe(413)
    expect(reply.json).toEqual(tooLarge)
    const one = statement()
    expect(
      (await xapi.post(compress(Buffer.from(JSON.stringify(one))), { 'content-encoding': encoding })).json,
    ).toEqual([one.id])
  })

  test('an unknown encoding is 415, a wrong one 400', async () => {
    expect((await xapi.post('[]', { 'content-encoding': 'zstd' })).status).toBe(415)
    expect((await xapi.post('[]', { 'content-encoding': 'gzip' })).status).toBe(400)
  })
})
