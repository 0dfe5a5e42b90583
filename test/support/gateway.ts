import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { request } from 'node:http'
import { connect } from 'node:net'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { create } from '@bufbuild/protobuf'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { RelayReplySchema } from '../../gen/lrs/v1/relay_pb.js'
import { createGateway } from '../../gateway/app.ts'
import type { GatewayConfig } from '../../gateway/config.ts'
import type { FakeCore, Result } from './fake-core.ts'
import { serviceToken, startFakeCore } from './fake-core.ts'

export interface Heard {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  text: string
}

export interface Question {
  headers?: OutgoingHttpHeaders
  body?: Buffer | string
}

export interface Stage {
  core: FakeCore
  port: number
  ask(method: string, path: string, question?: Question): Promise<Heard>
  /** Sends bytes as they are and returns all that comes back until the connection ends. */
  raw(bytes: string | Buffer): Promise<string>
  close(): Promise<void>
}

export const credential = { Authorization: 'Basic a2V5OnNlY3JldA==' }
export const usual = { ...credential, 'X-Experience-API-Version': '1.0.3' }
export const asJson = { ...usual, 'Content-Type': 'application/json' }
export const learner = encodeURIComponent('{"mbox":"mailto:ada@example.com"}')

/** A result of core from its plain form. */
export function result(init: NonNullable<MessageInitShape<typeof RelayReplySchema>['result']>): Result {
  return create(RelayReplySchema, { result: init }).result
}

export function failure(reason: Reason, message = '', path = ''): Result {
  return result({ case: 'failure', value: { reason, message, path } })
}

/** Answers every call with an empty response of its kind. */
export const nod: FakeCore['reply'] = ({ call }) => result({ case: call.case, value: {} } as never)

/** What core was asked, but who calls and how far its order is complete, which each refused GET of statements asks. */
export function asked({ requests }: FakeCore): FakeCore['requests'] {
  return requests.filter(
    ({ call }) =>
      !['noteRefusal', 'identify'].includes(call.case!) &&
      !(call.case === 'queryStatements' && call.value.onlyConsistentThrough),
  )
}

/** A gateway before a fake core, closed when the test is finished. */
export async function stage(reply: FakeCore['reply'] = nod, settings: Partial<GatewayConfig> = {}): Promise<Stage> {
  const core = await startFakeCore(reply)
  const gateway = createGateway(
    {
      host: '127.0.0.1',
      port: 0,
      cores: [core.url],
      serviceToken,
      defaultVersion: '1.0.3',
      dialect: 'games',
      logLevel: 'error',
      logFormat: 'json',
      trustProxy: 0,
      relayTimeoutMs: 20_000,
      attachmentsMaxBytes: 4 * 1024 * 1024,
      ...settings,
    },
    { log: pino({ level: 'silent' }) },
  )
  const port = await gateway.listen()
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= gateway.close().then(() => core.close()))
  onTestFinished(close)
  return {
    core,
    port,
    ask: (method, path, question) => ask(port, method, path, question),
    raw: (bytes) => raw(port, bytes),
    close,
  }
}

export function ask(
  port: number,
  method: string,
  path: string,
  { headers = usual, body }: Question = {},
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        resolve({ status: response.statusCode!, headers: response.headers, body: bytes, text: bytes.toString() })
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

function raw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let heard = ''
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')))
    socket.on('error', () => {})
    socket.on('close', () => resolve(heard))
    socket.write(bytes)
  })
}
