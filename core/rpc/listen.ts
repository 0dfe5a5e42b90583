import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createContextValues } from '@connectrpc/connect'
import type { DescMethod } from '@bufbuild/protobuf'
import { AdminService } from '../../gen/lrs/v1/admin_pb.js'
import { AttachmentService } from '../../gen/lrs/v1/attachments_pb.js'
import { DocumentService } from '../../gen/lrs/v1/documents_pb.js'
import { StatementService } from '../../gen/lrs/v1/statements_pb.js'
import { RosterService } from '../../gen/lrs/v1/rosters_pb.js'
import { UploadService } from '../../gen/lrs/v1/uploads_pb.js'
import { ambiguityOf } from '../../shared/headers.ts'
import { serverCredentials } from '../../shared/tls/grpc-credentials.ts'
import { watchTlsFiles } from '../../shared/tls/tls-files.ts'
import { sizes } from '../../shared/limits.ts'
import { isPersonalToken, personalTokenIn } from '../accounts/access/personal-tokens.ts'
import { hashSecret } from '../process/secret.ts'
import type { Authentication, Core } from '../context.ts'
import { connectAdapter } from './adapter.ts'
import { blameCaller } from '../process/methods/broken-message.ts'
import { refusedKey } from '../process/methods/refused.ts'
import { compressionGzip, compressMinBytes } from './compression.ts'
import { connectErrorOf } from '../process/methods/failure.ts'
import { interceptors } from './guard.ts'
import { withoutLargeTyped } from './large-messages.ts'
import { peer } from './services/health.ts'
import { isGivenUp, reception, type Request, type Response } from './reception.ts'
import { bindRelay, relayServer } from './relay/relay-server.ts'
import { services } from './services/services.ts'
import { hangUpKey } from '../records/service/store-stream.ts'
import type { Guest } from './strangers.ts'
import { rulesFor } from '../records/xapi/dialect.ts'

export interface Listening {
  readonly port: number
  readonly relayPort: number
  close(): Promise<void>
}

const closeWithin = 5_000
/**
 * Most bytes of a message. `data` and `document`: to methods for statements and documents (in base64, too), from games
 * and from services with data of games. `forms`: to other methods, and from our processes, with forms of up to 256 KB.
 * `stranger`: without a valid credential or service token. A message of many fields takes 100 ms for a megabyte.
 */
const messageBytes = {
  data: 4 * 1024 * 1024,
  document: 1.5 * sizes.document,
  forms: 288 * 1024,
  files: 1024 * 1024,
  stranger: 16 * 1024,
} as const
const pathOf = ({ parent, name }: DescMethod): string => `/${parent.typeName}/${name}`
const largest = new Map<string, Sender>([
  [pathOf(StatementService.method.storeStatements), 'data'],
  [pathOf(StatementService.method.storeStatementsStream), 'data'],
  [pathOf(AttachmentService.method.storeWithAttachments), 'data'],
  [pathOf(AdminService.method.importStatements), 'data'],
  [pathOf(DocumentService.method.putDocument), 'document'],
])
/** The first two list the files of a build: up to 10,000, with names of 60 characters on average; the third has a zip. */
const longForms = new Map<string, keyof typeof messageBytes>([
  [pathOf(UploadService.method.compareFiles), 'files'],
  [pathOf(UploadService.method.finalizeUpload), 'files'],
  [pathOf(RosterService.method.readRoster), 'data'],
])
/** Milliseconds within which the request of a stranger must arrive. */
const strangerPatience = 10_000
type Sender = keyof typeof messageBytes

/**
 * Serves all services on one port: HTTP/2 for gRPC, HTTP/1.1 for Connect and gRPC-Web. The relay has a port of its
 * own.
 */
export async function listen(core: Core): Promise<Listening> {
  const errorOf = (error: unknown) => connectErrorOf(error, core.log)
  const adapter = (readMaxBytes: number) =>
    connectAdapter({
      log: core.log,
      routes: services(core),
      interceptors: interceptors(core),
      readMaxBytes,
      // unknown fields are dropped: an object for each of them would take seconds
      binaryOptions: { readUnknownFields: false },
      requestGate: blameCaller,
      acceptCompression: [compressionGzip],
      compressMinBytes,
      change: (request, method, game) =>
        withoutLargeTyped(request, method, game, {
          work: core.work,
          readMaxBytes,
          compression: compressionGzip,
          errorOf,
        }),
      contextValues: (request, { refused }: From) =>
        createContextValues()
          .set(peer, request.socket.remoteAddress ?? '')
          .set(refusedKey, refused)
          .set(hangUpKey, () => ('stream' in request ? request.stream : request).destroy()),
    })
  const adapters = {
    data: adapter(messageBytes.data),
    document: adapter(messageBytes.document),
    forms: adapter(messageBytes.forms),
    files: adapter(messageBytes.files),
    stranger: adapter(messageBytes.stranger),
  }
  // Connect reads whole messages before it checks a call, and a connection may carry many: strangers get small bounds.
  const serve = async (request: Request, response: Response, guest: Guest): Promise<void> => {
    const ambiguity = 'stream' in request ? undefined : ambiguityOf(request)
    if (ambiguity) {
      // what follows may be a part of it
      response.setHeader('connection', 'close')
      return refuse(response, ambiguity.status, ambiguity.message)
    }
    try {
      const from = await senderOf(core, request.headers.authorization ?? '', request.socket.remoteAddress ?? '')
      const { sender } = from
      if (sender === 'stranger') {
        // the connection may be a proxy's, with calls of other senders
        if (guest.isKnown && !guest.may()) return void response.destroy()
        const late = setTimeout(() => response.destroy(), strangerPatience)
        request.once('end', () => clearTimeout(late)).once('close', () => clearTimeout(late))
      } else guest.known()
      if (!isGivenUp(request)) {
        const path = request.url?.split('?', 1)[0] ?? ''
        const usual = sender === 'data' ? (largest.get(path) ?? 'forms') : sender
        adapters[usual === 'forms' ? (longForms.get(path) ?? usual) : usual](request, response, from)
      }
    } catch {
      // Connect throws for a host and path that are not a valid address
      refuse(response, 400, 'Host (:authority in HTTP/2) and path must make an address.')
    }
  }
  const tls = core.config.tls && watchTlsFiles(core.config.tls, core.log)
  const { tcp, closeIdle, end } = reception(
    (authorization) => core.services.roleOf(authorization) !== undefined,
    serve,
    tls,
  )
  tcp.listen(core.config.port, core.config.host)
  await once(tcp, 'listening')
  const relay = relayServer(core)
  try {
    const relayPort = await bindRelay(relay, core.config.host, core.config.relayPort, serverCredentials(tls))
    return { port: (tcp.address() as AddressInfo).port, relayPort, close }
  } catch (error) {
    tcp.close()
    tls?.close()
    throw error
  }

  async function close(): Promise<void> {
    const late = setTimeout(() => {
      relay.forceShutdown()
      end(true)
    }, closeWithin)
    const closed = once(tcp, 'close')
    tcp.close()
    closeIdle()
    await new Promise<void>((resolve) => relay.tryShutdown(() => resolve()))
    end(false)
    await closed
    clearTimeout(late)
    tls?.close()
  }
}

interface From {
  readonly sender: Sender
  /** 0: none. */
  readonly game: number
  /** Why its credential was refused. */
  readonly refused?: unknown
}

const from = (sender: Sender, game = 0, refused?: unknown): From => ({ sender, game, refused })

/** The kind of sender with this Authorization. It chooses the bounds; a call that is let in is authenticated by itself. */
function senderOf(
  { services, authenticator, config, store }: Authentication & Pick<Core, 'config' | 'store'>,
  authorization: string,
  address: string,
): Promise<From> {
  const token = personalTokenIn(authorization)
  if (token !== undefined)
    return (isPersonalToken(token) ? store.personalTokens.find(hashSecret(token)) : Promise.resolve(undefined)).then(
      (holder) => from(holder ? 'forms' : 'stranger'),
      () => from('stranger'),
    )
  const role = services.roleOf(authorization)
  if (role !== undefined) return Promise.resolve(from(role === 'service' || role === 'admin' ? 'data' : 'forms'))
  return authenticator.authenticate(authorization, rulesFor('1.0.3', config.dialect, config.tenancy), address).then(
    ({ game }) => from('data', game),
    (refused: unknown) => from('stranger', 0, refused),
  )
}

/** Answers a request that Connect cannot read, as Connect does. */
function refuse(response: Response, status: 400 | 501, message: string): void {
  if (response.headersSent) return void response.destroy()
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ code: status === 501 ? 'unimplemented' : 'invalid_argument', message }))
}
