import { connect, constants, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2'
import { fromJson, toBinary, type DescMethod, type DescService } from '@bufbuild/protobuf'
import { Health } from '../../gen/grpc/health/v1/health_pb.js'
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.js'
import { AccountService } from '../../gen/lrs/v1/accounts_pb.js'
import { AdminService, ImportStatementsRequestSchema } from '../../gen/lrs/v1/admin_pb.js'
import { AttachmentService, StoreWithAttachmentsRequestSchema } from '../../gen/lrs/v1/attachments_pb.js'
import { DocumentService } from '../../gen/lrs/v1/documents_pb.js'
import { GameService } from '../../gen/lrs/v1/games_pb.js'
import { IdentityService } from '../../gen/lrs/v1/identity_pb.js'
import { AnswerService } from '../../gen/lrs/v1/answers_pb.js'
import { SeriousGamesService } from '../../gen/lrs/v1/serious_games_pb.js'
import { InsightService } from '../../gen/lrs/v1/insights_pb.js'
import { LearnerService } from '../../gen/lrs/v1/learners_pb.js'
import { OwnDataService } from '../../gen/lrs/v1/own_data_pb.js'
import { LaunchService } from '../../gen/lrs/v1/launches_pb.js'
import { QuotaService } from '../../gen/lrs/v1/quotas_pb.js'
import { ReservationService } from '../../gen/lrs/v1/reservations_pb.js'
import { RelayService } from '../../gen/lrs/v1/relay_pb.js'
import { StatementService } from '../../gen/lrs/v1/statements_pb.js'
import { UploadService } from '../../gen/lrs/v1/uploads_pb.js'
import { attachment, sha256 } from '../support/attachments.ts'
import type { Json } from '../support/statements.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'
import type { Random } from '../torture/random.ts'
import { shotOf, type Answer, type Request, type Shot } from './shot.ts'
import { brokenNow, headerText, someMessage, someStatement, type Known } from './values.ts'

const services: readonly DescService[] = [
  AccountService,
  AdminService,
  AttachmentService,
  DocumentService,
  GameService,
  IdentityService,
  InsightService,
  AnswerService,
  SeriousGamesService,
  LaunchService,
  LearnerService,
  OwnDataService,
  QuotaService,
  ReservationService,
  StatementService,
  UploadService,
  Health,
  ServerReflection,
]
/** What games call by themselves. */
const ofGames = new Set<DescService>([AttachmentService, DocumentService, StatementService])
/** These end what all others need. */
const left = new Set([
  'EraseLearner',
  'RotateSecret',
  'RevokeCredential',
  'SignOut',
  'SignOutEverywhere',
  'ChangePassword',
])
const methods: readonly DescMethod[] = services
  .flatMap((service) => service.methods)
  .filter(({ name }) => !left.has(name))
const streaming = methods.filter(({ methodKind }) => methodKind !== 'unary')
/** Headers of the protocols and of ours, with what a broken client or a proxy may make of them. */
const oddHeaders: Record<string, readonly string[]> = {
  'connect-timeout-ms': ['0', '1', '-1', '5000', '99999999999', 'x'],
  'grpc-timeout': ['0S', '1n', '1m', '5S', '999999999H', 'S'],
  'connect-protocol-version': ['', '0', '2'],
  'content-encoding': ['gzip', 'br', 'identity', 'x'],
  'connect-content-encoding': ['gzip', 'identity'],
  'grpc-encoding': ['gzip', 'identity', 'x'],
  'grpc-accept-encoding': ['gzip', ','],
  'x-lrs-credential': ['', 'nobody', 'x'.repeat(2_000)],
  'x-experience-api-version': ['', '2.0.0', '0.95', '1.0.3, 2.0.0'],
  traceparent: ['00-0-0-00', `00-${'f'.repeat(32)}-${'f'.repeat(16)}-01`],
  'x-request-id': ['', 'é', 'x'.repeat(300)],
}

export interface Core {
  readonly url: string
  /** Of the port for gateways. */
  readonly relayUrl: string
  readonly authorization: string
  readonly session: string
  readonly known: Known
}

/** Calls of every method, in each protocol and encoding, over both versions of HTTP. */
export function callsOf({ url, relayUrl, authorization, session, known }: Core): {
  draw: (draw: Random) => Shot
  close: () => void
} {
  const [http2, toRelay] = [sessions(url), sessions(relayUrl)]

  function call(draw: Random): Shot {
    const method = draw.of(draw.next() < 0.25 ? streaming : methods)
    const unary = method.methodKind === 'unary'
    const protocol = draw.of(['connect', 'connect', 'grpc', 'grpc-web'])
    const binary = draw.next() < 0.4
    const isBare = unary && protocol === 'connect'
    const messages = messagesOf(draw, method, known).map((message) => bytesOf(draw, method, message, binary))
    const body = isBare
      ? messages[0]!
      : brokenNow(draw, Buffer.concat(messages.map((message) => envelope(draw, message))), 0.05)
    const encoding = binary ? 'proto' : 'json'
    const type =
      protocol === 'connect'
        ? `application/${unary ? '' : 'connect+'}${encoding}`
        : `application/${protocol}+${encoding}`
    const headers: Record<string, string> = {
      'content-type': draw.next() < 0.97 ? type : headerText(draw),
      'connect-protocol-version': '1',
      'x-experience-api-version': '1.0.3',
    }
    const who = draw.next()
    if (who < (ofGames.has(method.parent) ? 0.7 : 0.05)) headers['authorization'] = authorization
    else if (who < 0.75) Object.assign(headers, { authorization: bearer(tokens.portal), 'x-lrs-session': session })
    else
      headers['authorization'] = bearer(
        draw.of([tokens.admin, tokens.admin, tokens.player, tokens.service, tokens.gateway, 'nobody']),
      )
    if (draw.next() < 0.15) {
      const name = draw.of(Object.keys(oddHeaders))
      headers[name] = draw.of(oddHeaders[name]!)
    }
    const path = `/${method.parent.typeName}/${method.name}${
      draw.next() < 0.02 ? draw.of(['/', '?x', '?message=%ff&encoding=proto&base64=1&connect=v1', '%00']) : ''
    }`
    const request = {
      url: url + path,
      method: draw.next() < 0.97 ? 'POST' : draw.of(['PUT', 'DELETE', 'OPTIONS']),
      headers,
      body,
    }
    // what their specifications ask for: no such compression 501, out of time 504, both ways at once only over HTTP/2
    // 505
    const mayBe = [
      ...(isEncoded(headers) ? [501] : []),
      ...(isTimed(headers) ? [504] : []),
      ...(method.methodKind === 'bidi_streaming' ? [505] : []),
    ]
    const streams = method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming'
    if (protocol !== 'grpc' && draw.next() < 0.6) return shotOf('rpc ', request, { streams, mayBe })
    const leaves = draw.next() < 0.05
    return shotOf('rpc ', request, { streams, mayBe, send: (signal) => http2.send(request, path, signal, leaves) })
  }

  /** As a gateway that has gone mad, or as a stranger. */
  function relay(draw: Random): Shot {
    const method = draw.of([...RelayService.methods, ...RelayService.methods, ...AttachmentService.methods])
    const path = `/${method.parent.typeName}/${method.name}`
    const isGateway = draw.next() < 0.9
    const isUpload = method.input === StoreWithAttachmentsRequestSchema
    const messages = isUpload
      ? messagesOf(draw, method, known)
      : Array.from({ length: draw.between(1, 3) }, () => someMessage(draw, method.input, known))
    const token = bearer(isGateway ? tokens.gateway : tokens.service)
    const headers: Record<string, string> = {
      'content-type': 'application/grpc',
      'x-lrs-gateway': token,
      'x-experience-api-version': '1.0.3',
      authorization: method.parent === RelayService ? token : authorization,
    }
    // to its own gateways, which send no broken messages, grpc-js says `internal`
    const body = Buffer.concat(
      messages.flatMap((message) => wellFormed(method, message)).map((message) => envelope(draw, message, 0)),
    )
    return shotOf(
      'rpc ',
      { url: relayUrl + path, method: 'POST', headers, body },
      { send: (signal) => toRelay.send({ url: relayUrl, method: 'POST', headers, body }, path, signal) },
    )
  }

  return {
    draw: (draw) => (draw.next() < 0.1 ? relay(draw) : call(draw)),
    close() {
      http2.close()
      toRelay.close()
    },
  }
}

const isEncoded = (headers: Record<string, string>) => Object.keys(headers).some((name) => name.endsWith('-encoding'))
const isTimed = (headers: Record<string, string>) => Object.keys(headers).some((name) => name.includes('timeout'))

/** The messages of a call as JSON: one, or some where it takes a stream. */
function messagesOf(draw: Random, method: DescMethod, known: Known): Json[] {
  const some = () => someMessage(draw, method.input, known)
  if (method.methodKind === 'unary' || method.methodKind === 'server_streaming')
    return draw.next() < 0.97 ? [some()] : [some(), some()]
  const isUpload = method.input === StoreWithAttachmentsRequestSchema
  if ((!isUpload && method.input !== ImportStatementsRequestSchema) || draw.next() < 0.3)
    return Array.from({ length: draw.between(0, 4) }, some)
  const content = Buffer.alloc(draw.of([0, 10, 40_000]), 'x')
  const statement = { ...someStatement(draw), attachments: [attachment(content)] }
  const json = Buffer.from(JSON.stringify(draw.next() < 0.5 ? statement : [statement])).toString('base64')
  const list: Json[] = [
    { statements: isUpload ? { json } : json },
    { begin: { sha2: sha256(content) } },
    { content: content.toString('base64') },
    { end: {} },
  ]
  if (draw.next() < 0.4)
    list.splice(draw.between(0, 3), draw.between(0, 2), ...(draw.next() < 0.5 ? [draw.of(list)] : [some()]))
  return list
}

/** The message in Protobuf, where it is one of this kind. */
function wellFormed({ input }: DescMethod, json: Json): Buffer[] {
  try {
    return [Buffer.from(toBinary(input, fromJson(input, json, { ignoreUnknownFields: true })))]
  } catch {
    return []
  }
}

/** A message as it is sent, now and then broken. */
function bytesOf(draw: Random, method: DescMethod, json: Json, binary: boolean): Buffer {
  if (!binary) return brokenNow(draw, Buffer.from(JSON.stringify(json)), 0.1)
  const [message] = wellFormed(method, json)
  return message
    ? brokenNow(draw, message, 0.2)
    : Buffer.from(Array.from({ length: draw.between(0, 60) }, () => draw.between(0, 255)))
}

/** As it stands in a stream: now and then with flags, or of a length, that it should not have. */
function envelope(draw: Random, message: Buffer, chance = 0.04): Buffer {
  const head = Buffer.alloc(5)
  if (draw.next() < chance) head[0] = draw.of([1, 2, 3, 0x80, 0xff])
  head.writeUInt32BE(
    draw.next() < chance
      ? draw.of([0, message.length + 1, Math.max(message.length - 1, 0), 5 * 1024 * 1024, 0xffffffff])
      : message.length,
    1,
  )
  return Buffer.concat([head, message])
}

/** Sends over HTTP/2: many calls on one connection, and another one when that has ended. */
function sessions(url: string) {
  let session: ClientHttp2Session | undefined
  const open = (): ClientHttp2Session => {
    if (session && !session.closed && !session.destroyed) return session
    session = connect(url)
    // the calls on it tell of it
    session.on('error', () => {})
    return session
  }

  /** @param leaves in the middle of the body */
  function send(
    { method, headers, body }: Request,
    path: string,
    signal: AbortSignal,
    leaves = false,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const stream = open().request(
        { ':method': method, ':path': path, te: 'trailers', ...headers },
        { endStream: false },
      )
      let status = 0
      let said: IncomingHttpHeaders = {}
      const chunks: Buffer[] = []
      const abort = () => {
        reject(signal.reason)
        stream.close()
      }
      signal.addEventListener('abort', abort, { once: true })
      stream.on('response', (found) => {
        status = Number(found[':status'])
        said = { ...said, ...found }
      })
      stream
        .on('trailers', (found) => (said = { ...said, ...found }))
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
      stream.on('close', () => {
        signal.removeEventListener('abort', abort)
        if (leaves) resolve({ status, text: 'left' })
        else if (status === 0) reject(new Error('the stream ended without an answer'))
        else resolve({ status, text: Buffer.concat(chunks).toString('latin1') + codeOf(said) })
      })
      if (!leaves) return void stream.end(body)
      stream.write(body!.subarray(0, body!.length / 2))
      setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), 2)
    })
  }

  return { send, close: () => session?.destroy() }
}

const names: Record<string, string> = { '2': 'unknown', '13': 'internal', '14': 'unavailable', '15': 'data_loss' }

/** What gRPC says in trailers, as Connect says it. */
const codeOf = (said: IncomingHttpHeaders): string =>
  said['grpc-status'] === undefined
    ? ''
    : `{"code":"${names[String(said['grpc-status'])] ?? said['grpc-status']}","message":"${decodeURIComponent(
        String(said['grpc-message'] ?? ''),
      )}"}`
