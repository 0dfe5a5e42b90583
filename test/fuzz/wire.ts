import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { endHeaders, endStream, frame, opening, post, types } from '../support/http2-frames.ts'
import type { Random } from '../torture/random.ts'
import type { Answer, Shot } from './shot.ts'
import { brokenNow, headerText } from './values.ts'

const hosts = [
  '',
  'a b',
  '[',
  '[::1',
  '[::1]:80',
  'x:99999',
  'x:-1',
  '\xff\xfe',
  'a,b',
  '..',
  '@',
  'u:p@x',
  'a/b',
  'a?b',
  'a#b',
  '%00',
  'x'.repeat(3_000),
]
const targets = [
  '*',
  '//',
  '/..',
  '/../../etc/passwd',
  '/%2e%2e/%2e%2e',
  '/%00',
  '/%ff%fe',
  '/%',
  '/%zz',
  '/\xff',
  '/\\',
  '/xapi/about#x',
  '/xapi/about?%',
  '/xapi//about',
  '/public/%2e%2e/app.ts',
  '/b/%c0%ae/x',
  'http://elsewhere.example/xapi/about',
  'http://[/',
  'host:80',
  'x',
  '',
  `/${'a'.repeat(40_000)}`,
  `/?${'&'.repeat(20_000)}`,
  '/?__proto__[x]=1',
]
const methods = [
  'GET',
  'GET',
  'POST',
  'PUT',
  'HEAD',
  'OPTIONS',
  'DELETE',
  'TRACE',
  'CONNECT',
  'PRI',
  'get',
  'M-SEARCH',
  '',
  'X'.repeat(100),
]
const more = [
  'Expect: 100-continue',
  'Expect: 200-ok',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Connection: close, te',
  'TE: trailers',
  'Content-Type: application/json\r\nContent-Type: text/plain',
  'Authorization: Basic Og==\r\nAuthorization: Bearer x',
  'X: \x01',
  ' folded: x',
  'X : y',
  'Cookie: session=\xff; session=',
  `X: ${'y'.repeat(40_000)}`,
  Array.from({ length: 3_000 }, (_, n) => `X${n}:`).join('\r\n'),
  'Range: bytes=0-0,1-1,5-',
  'If-None-Match: *',
  'X-Forwarded-For: \x80',
  'X-Forwarded-Host: evil.example',
  'Accept-Encoding: gzip;q=x, *;q=0',
  'Accept-Language: *;q=1,,',
  'Content-Encoding: gzip',
  'Transfer-Encoding: gzip',
  'Transfer-Encoding: chunked, identity',
  'Content-Length: -1',
  'Content-Length: 1e9',
  'Content-Length: 5, 5',
]

export interface Places {
  /** HTTP/1.1, each with addresses that are there, and headers of who may see them. */
  readonly http1: readonly {
    readonly url: string
    readonly paths: readonly string[]
    readonly headers?: readonly string[]
  }[]
  /** HTTP/2. */
  readonly http2: readonly number[]
  readonly authorization: string
}

/** Bytes that no client library sends, to every port. Nothing of it may be answered by 5xx (but for 501, see shotAt) or keep a connection that was left. */
export function wireOf({ http1, http2, authorization }: Places): (draw: Random) => Shot {
  const usual = [`Authorization: ${authorization}`, 'X-Experience-API-Version: 1.0.3']

  function message(
    draw: Random,
    host: string,
    paths: readonly string[],
    headers: readonly string[] = usual,
  ): { bytes: Buffer; whole: boolean } {
    const lines = [
      `${draw.next() < 0.85 ? draw.of(methods.slice(0, 7)) : draw.of(methods)} ${draw.next() < 0.75 ? draw.of(paths) : draw.of(targets)} HTTP/${draw.next() < 0.9 ? '1.1' : draw.of(['1.0', '0.9', '1.2', '2.0', 'x'])}`,
    ]
    if (draw.next() < 0.97) lines.push(`Host: ${draw.next() < 0.85 ? host : draw.of(hosts)}`)
    if (draw.next() < 0.05) lines.push(`Host: ${draw.of(hosts)}`)
    if (draw.next() < 0.7) lines.push(...headers)
    else if (draw.next() < 0.5) lines.push(`Authorization: ${headerText(draw)}`)
    while (draw.next() < 0.3) lines.push(draw.of(more))
    const content = draw.of([
      Buffer.from('[]'),
      Buffer.from('{"a":1}'),
      gzipSync('[]'),
      Buffer.from('csrf=x&name=%ff'),
      Buffer.alloc(3_000, 'x'),
    ])
    const how = draw.between(0, 5)
    if (how > 0 && draw.next() < 0.9)
      lines.push(
        `Content-Type: ${draw.of(['application/json', 'application/x-www-form-urlencoded', 'application/proto', 'multipart/mixed; boundary=x', 'application/connect+json'])}`,
      )
    if (how === 1 || how === 2)
      lines.push(`Content-Length: ${content.length + (how === 2 ? draw.between(-2, 100) : 0)}`)
    if (how >= 3) lines.push('Transfer-Encoding: chunked')
    if (how === 5 && draw.next() < 0.3) lines.push(`Content-Length: ${content.length}`)
    const body = how === 0 ? Buffer.alloc(0) : how < 3 ? content : chunked(draw, content, how > 3)
    return {
      bytes: Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]),
      whole: how < 2 || how === 3,
    }
  }

  function text(draw: Random): Shot {
    const { url, paths, headers } = draw.of(http1)
    const { host, port } = new URL(url)
    // some at once, as a pipelining client does
    const pieces = Array.from({ length: draw.next() < 0.6 ? 1 : draw.between(2, 6) }, () =>
      message(draw, host, paths, headers),
    )
    const sent = Buffer.concat(pieces.map((piece) => piece.bytes))
    const bytes = brokenNow(draw, sent, 0.1)
    return shotAt(
      Number(port),
      bytes,
      draw,
      bytes === sent &&
        pieces.length === 1 &&
        pieces[0]!.whole &&
        !/^(?:CONNECT|PRI)/.test(sent.toString('latin1', 0, 10)),
    )
  }

  function frames(draw: Random): Shot {
    const kinds = Object.values(types)
    const pieces = Array.from({ length: draw.between(1, 12) }, () => {
      const stream = draw.of([0, 1, 1, 3, 5, 2, 0x7fffffff])
      if (draw.next() < 0.4)
        return frame(
          types.headers,
          draw.of([endHeaders, endHeaders | endStream, 0]),
          stream,
          post(
            draw.of([
              '/lrs.v1.StatementService/GetStatement',
              '/grpc.health.v1.Health/Check',
              '/lrs.v1.RelayService/Exchange',
              '/',
            ]),
            draw.next() < 0.7
              ? { 'content-type': 'application/grpc', authorization }
              : { 'content-type': 'x', connection: 'close' },
          ),
        )
      const payload = Buffer.from(Array.from({ length: draw.of([0, 4, 5, 8, 50]) }, () => draw.between(0, 255)))
      return frame(
        draw.next() < 0.9 ? draw.of(kinds) : draw.between(0, 255),
        draw.of([0, 1, 4, 5, 8, 0x20, 0xff]),
        stream,
        payload,
        draw.next() < 0.95 ? payload.length : draw.of([0xffffff, payload.length + 3]),
      )
    })
    return shotAt(
      draw.of(http2),
      brokenNow(
        draw,
        Buffer.concat([draw.next() < 0.95 ? opening : opening.subarray(0, draw.between(1, opening.length)), ...pieces]),
        0.05,
      ),
      draw,
    )
  }

  return (draw) => (draw.next() < 0.7 ? text(draw) : frames(draw))
}

function chunked(draw: Random, content: Buffer, isOdd: boolean): Buffer {
  const size = isOdd
    ? draw.of([
        '0',
        'ffffffffffffffff',
        'x',
        '-1',
        `${content.length.toString(16)};${'e'.repeat(20_000)}`,
        (content.length + 5).toString(16),
        (content.length - 1).toString(16),
      ])
    : content.length.toString(16)
  const end = isOdd
    ? draw.of(['0\r\n\r\n', '', '0\r\n', '0\r\nX: y\r\n\r\n', '0\r\nContent-Length: 5\r\n\r\n', '\r\n'])
    : '0\r\n\r\n'
  return Buffer.concat([Buffer.from(`${size}\r\n`), content, Buffer.from(`\r\n${end}`)])
}

/** Sends the bytes, in pieces or at once, then leaves: politely, after an answer or not, or all of a sudden. @param isWhole they deserve an answer */
function shotAt(port: number, bytes: Buffer, draw: Random, isWhole = false): Shot {
  const cut = draw.next() < 0.4 ? draw.between(0, bytes.length) : bytes.length
  const leaves = draw.of(
    isWhole ? (['answered', 'answered', 'reset'] as const) : (['end', 'later', 'later', 'later', 'reset'] as const),
  )
  return {
    kind: 'wire ',
    // an unknown compression of Connect, and a transfer coding that nobody here decodes (RFC 9112, 6.1)
    mayBe: /Content-Encoding: gzip|Transfer-Encoding: /i.test(bytes.toString('latin1')) ? [501] : [],
    name: () =>
      `bytes to port ${port}, ${cut} at first, then ${leaves}: ${JSON.stringify(bytes.toString('latin1').slice(0, 1_500))}`,
    send: (signal) =>
      new Promise<Answer>((resolve, reject) => {
        let said = ''
        const socket = connect(port, '127.0.0.1')
        const abort = () => {
          reject(signal.reason)
          socket.destroy()
        }
        signal.addEventListener('abort', abort, { once: true })
        socket.on('data', (chunk) => {
          said += chunk.toString('latin1')
          if (leaves === 'answered') socket.end()
        })
        socket.on('error', () => {})
        socket.on('close', () => {
          signal.removeEventListener('abort', abort)
          // all answers of a pipeline; those of HTTP/2 are not read
          const statuses = [...said.matchAll(/(?:^|\r\n|[^\r\n])HTTP\/1\.1 (\d{3}) /g)].map(([, status]) =>
            Number(status),
          )
          if (leaves === 'answered' && statuses.length === 0) reject(new Error('no answer to a whole request'))
          else resolve({ status: Math.max(0, ...statuses), text: said })
        })
        socket.write(bytes.subarray(0, cut))
        setTimeout(
          () => {
            if (cut < bytes.length) socket.write(bytes.subarray(cut))
            if (leaves === 'reset') setImmediate(() => socket.resetAndDestroy())
            else if (leaves === 'end') socket.end()
            else if (leaves === 'later') setTimeout(() => socket.end(), 20)
          },
          cut < bytes.length ? 5 : 0,
        )
      }),
  }
}
