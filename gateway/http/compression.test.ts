import type { IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { codingFor, createCompressor, json } from './answer.ts'

const body = Buffer.from(JSON.stringify(Array.from({ length: 100 }, (_, index) => ({ index, verb: 'played' }))))
const away = { remoteAddress: '192.0.2.1', localAddress: '192.0.2.9' }
const request = (headers: IncomingMessage['headers'], socket: object = away) =>
  ({ headers, socket }) as unknown as IncomingMessage

test.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['*', undefined],
  ['deflate, zstd', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br, gzip', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['gzip;q=0.5, br; q=0.5', 'br'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.000, br;q=0', undefined],
  ['gzip;q=lots', undefined],
  ['gzipped, __proto__, constructor', undefined],
])('Accept-Encoding %j asks for %s', (header, coding) => {
  expect(codingFor(header)).toBe(coding)
})

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const)('%s gives the same body, under a tag of its own', async (coding, decode) => {
  const answer = await createCompressor()(
    json([body.subarray(0, 99), body.subarray(99)], ['A', 'b'], '"abc"'),
    request({ 'accept-encoding': coding }),
  )
  expect(decode(answer.body as Buffer)).toEqual(body)
  expect((answer.body as Buffer).length).toBeLessThan(body.length / 4)
  expect(answer).toMatchObject({
    status: 200,
    etag: `"abc-${coding}"`,
    headers: ['Content-Type', 'application/json', 'Vary', 'Accept-Encoding', 'A', 'b', 'Content-Encoding', coding],
  })
})

const here = { remoteAddress: '::ffff:127.0.0.1', localAddress: '::ffff:127.0.0.1' }
test.each<[string, object, IncomingMessage['headers'], boolean]>([
  ['from another machine', away, {}, true],
  ['from this machine', here, {}, false],
  ['from a proxy on this machine', here, { 'x-forwarded-for': '192.0.2.1' }, true],
  ['from a proxy on this machine that says so by the standard', here, { forwarded: 'for=192.0.2.1' }, true],
])('a request %s', async (_, socket, headers, compressed) => {
  const answer = json(body)
  const sent = await createCompressor()(answer, request({ 'accept-encoding': 'gzip', ...headers }, socket))
  expect(sent !== answer).toBe(compressed)
})

test('what is short, and what may not be compressed, stays as it is', async () => {
  const compress = createCompressor()
  for (const answer of [
    json('x'.repeat(1024)),
    { status: 200, body },
    { status: 204 },
    { ...json(undefined), status: 304 },
  ]) {
    expect(await compress(answer, request({ 'accept-encoding': 'gzip' }))).toBe(answer)
  }
})

test('two at a time; who comes meanwhile does not wait', async () => {
  const compress = createCompressor()
  const answer = json(body)
  const all = await Promise.all(
    Array.from({ length: 4 }, () => compress(answer, request({ 'accept-encoding': 'gzip' }))),
  )
  expect(all.map((sent) => sent !== answer)).toEqual([true, true, false, false])
  expect(await compress(answer, request({ 'accept-encoding': 'gzip' }))).not.toBe(answer)
})
