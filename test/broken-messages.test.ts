import { once } from 'node:events'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { rawRequest } from './support/raw-request.ts'
import { tokens, startSystem, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let system: System
let baseUrl: string
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
  baseUrl = `http://127.0.0.1:${system.cores[0]!.port}`
})
// a log of errors fails the system's close: nothing of this is one
afterAll(() => system.close())

const envelope = (bytes: Buffer, flags = 0) => {
  const head = Buffer.alloc(5)
  head[0] = flags
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly trailers: IncomingHttpHeaders
  readonly body: Buffer
}

async function ask(method: string, type: string, body: Buffer): Promise<Answer> {
  const session = connect(baseUrl)
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': `/${method}`,
      'content-type': type,
      te: 'trailers',
      authorization: bearer(tokens.admin),
    })
    const [headers, trailers] = [{}, {}] as IncomingHttpHeaders[]
    stream
      .on('response', (found) => Object.assign(headers!, found))
      .on('trailers', (found) => Object.assign(trailers!, found))
    stream.end(body)
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(stream, 'end')
    return { status: Number(headers![':status']), headers: headers!, trailers: trailers!, body: Buffer.concat(chunks) }
  } finally {
    session.close()
  }
}

/** What each protocol makes of an error: its code and message. */
const grpcError = (found: IncomingHttpHeaders) => ({
  code: Number(found['grpc-status']),
  message: decodeURIComponent(String(found['grpc-message'])),
})
const inTrailers = ({ headers, trailers }: Answer) => grpcError({ ...headers, ...trailers })
const inLastEnvelope = ({ headers, body }: Answer) => {
  const lines = body.subarray(5).toString().split('\r\n').filter(Boolean)
  return grpcError({
    ...headers,
    ...Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    ),
  })
}
const inBody = ({ body }: Answer) =>
  JSON.parse(body.toString()) as { code: string; message: string; details: { debug?: unknown }[] }
const inEnd = ({ body }: Answer) =>
  (JSON.parse(body.subarray(5).toString()) as { error: { code: string; message: string } }).error

/** A field of bytes that promises more than comes. */
const broken = Buffer.from([0x0a, 0xff, 0x01, 0x78])
const said = (what: string, name: string) =>
  expect.stringMatching(new RegExp(`^The ${what} is not a ${name.replaceAll('.', '\\.')}: \\S`))

describe.each([
  ['unary', 'lrs.v1.StatementService/GetStatement', 'body', 'lrs.v1.GetStatementRequest'],
  ['server streaming', 'lrs.v1.StatementService/Follow', 'message', 'lrs.v1.FollowRequest'],
  [
    'client streaming',
    'lrs.v1.AttachmentService/StoreWithAttachments',
    'message',
    'lrs.v1.StoreWithAttachmentsRequest',
  ],
  ['client streaming by admins', 'lrs.v1.AdminService/ImportStatements', 'message', 'lrs.v1.ImportStatementsRequest'],
  [
    'both ways',
    'grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    'message',
    'grpc.reflection.v1.ServerReflectionRequest',
  ],
])('a message that is no Protobuf is the fault of its sender, %s,', (kind, method, what, name) => {
  test('over gRPC', async () => {
    expect(inTrailers(await ask(method, 'application/grpc', envelope(broken)))).toEqual({
      code: Code.InvalidArgument,
      message: said(what, name),
    })
  })

  test('over gRPC-Web', async () => {
    expect(inLastEnvelope(await ask(method, 'application/grpc-web+proto', envelope(broken)))).toEqual({
      code: Code.InvalidArgument,
      message: said(what, name),
    })
  })

  test('over Connect', async () => {
    if (kind === 'unary') {
      const answer = await ask(method, 'application/proto', broken)
      expect(answer.status).toBe(400)
      expect(inBody(answer)).toMatchObject({
        code: 'invalid_argument',
        message: said(what, name),
        details: [{ type: 'lrs.v1.Failure', debug: { reason: 'REASON_INVALID' } }],
      })
    } else
      expect(inEnd(await ask(method, 'application/connect+proto', envelope(broken)))).toMatchObject({
        code: 'invalid_argument',
        message: said(what, name),
      })
  })

  test('and so is a compressed one, where no compression was named', async () => {
    const { code, message } = inTrailers(await ask(method, 'application/grpc', envelope(Buffer.from([0x1f, 0x8b]), 1)))
    expect([code, message]).toEqual([Code.InvalidArgument, expect.stringContaining('compressed')])
  })
})

test.each([
  [501, 'unimplemented', 'Transfer-Encoding', 'Transfer-Encoding: gzip, chunked'],
  [400, 'invalid_argument', 'Authorization', 'Authorization: Basic YTpi\r\nTransfer-Encoding: chunked'],
])('what a proxy in front may have read in another way is refused: %i %s, %s', async (status, code, path, line) => {
  const head = `POST /grpc.health.v1.Health/Check HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer(tokens.admin)}`
  const request = `${head}\r\nContent-Type: application/json\r\n${line}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`
  // the connection ends: what follows may be a part of it
  const said = await rawRequest(baseUrl, request)
  expect(said).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(said.slice(said.indexOf('{'))).toMatch(new RegExp(`"code":"${code}","message":"${path}: `))
})

test.each([
  ['to a method that takes no GET', 'GET', 'application/proto'],
  ['of a type that is none', 'POST', 'application/x-www-form-urlencoded'],
])(
  'whoever sends half of a body %s behind other requests, and leaves, does not end core',
  async (_about, method, type) => {
    const head =
      `${method} /lrs.v1.StatementService/GetStatement HTTP/1.1\r\nHost: x\r\nContent-Type: ` +
      `${type}\r\nContent-Length: 3000\r\n\r\n`
    const whole = 'GET /lrs.v1.StatementService/GetStatement HTTP/1.1\r\nHost: x\r\n\r\n'
    const leave = async (n: number): Promise<void> => {
      const socket = connectSocket(system.cores[0]!.port, '127.0.0.1').on('error', () => {})
      // behind others, as a pipelining client has it, or alone
      socket.write(`${whole.repeat(n % 4)}${head}${'x'.repeat(100)}`)
      // before, while or after it is answered
      await sleep(n % 10)
      if (n % 3 === 0) socket.resetAndDestroy()
      else if (n % 3 === 1) socket.destroy()
      else socket.end()
      await once(socket.resume(), 'close')
    }
    await Promise.all(Array.from({ length: 200 }, (_, n) => leave(n)))
    const check = () =>
      fetch(`${baseUrl}/grpc.health.v1.Health/Check`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
    // An error that nobody listens to would fail this test, and end a core. The connection that fetch keeps may have made
    // room for other strangers.
    await expect.poll(async () => (await check()).status).toBe(200)
  },
)

test.each(['@', 'a b', '[::1', 'x:99999', ''])('a request for the host "%s" is refused in words', async (host) => {
  const socket = connectSocket(system.cores[0]!.port, '127.0.0.1').on('error', () => {})
  socket.write(
    `POST /lrs.v1.StatementService/GetStatement HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ` +
      `application/json\r\nContent-Length: 2\r\n\r\n{}`,
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 .*Host/s)
})

test('a header that gRPC does not allow is not written to the console, whatever secret it has', async () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {})
  const session = connect(`http://127.0.0.1:${system.cores[0]!.relayPort}`).on('error', () => {})
  const stream = session.request({
    ':method': 'POST',
    ':path': '/lrs.v1.RelayService/Exchange',
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: 'Bearer secret\tx',
  })
  const [found] = (await once(stream.end(), 'response')) as [IncomingHttpHeaders]
  session.destroy()
  expect(Number(found['grpc-status'])).toBe(Code.Unauthenticated)
  expect(written).not.toHaveBeenCalled()
  written.mockRestore()
})
