import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { create, fromBinary, fromJson, toBinary } from '@bufbuild/protobuf'
import {
  StoreStatementsRequestSchema,
  StoreStatementsResponseSchema,
  StoreStatementsStreamRequestSchema,
  StoreStatementsStreamResponseSchema,
} from '../../gen/lrs/v1/statements_pb.js'
import { StatementSchema } from '../../gen/lrs/v1/xapi_pb.js'
import { authorizationOf } from '../keys.ts'
import type { Traffic } from '../shapes/shape.ts'
import { shapeOf } from '../shapes/shapes.ts'
import type { StoreJob } from './job.ts'
import { measure, type Round } from './measure.ts'

/** Statements that are made beforehand for each millisecond of a round. */
const perMs = { one: 8, many: 25 }
const service = '/lrs.v1.StatementService'

interface Made {
  ids: string[]
  /** The message as it travels. */
  sent: Buffer
}

/** Stores new statements on one connection, as lean as the generator over HTTP; every id has to be acknowledged. */
export async function store({
  port,
  shape,
  way,
  form,
  clients,
  batch,
  seed,
  ms,
  echo,
}: StoreJob & { clients: number; ms: number }): Promise<Round> {
  const source = shapeOf(shape).traffic(seed)
  const wanted = Math.ceil((ms * (batch === 1 ? perMs.one : perMs.many)) / batch)
  const made = Array.from({ length: wanted }, (_, n) => make(source, batch, form, way, n))
  const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 1024 * 1024 } })
  try {
    const send = way === 'unary' ? unary(session, echo) : stream(session)
    let next = 0
    return await measure(clients, ms, async () => {
      const n = next++
      if (n >= made.length) return undefined
      await send(made[n]!, n)
      return batch
    })
  } finally {
    session.destroy()
  }
}

function make(source: Traffic, batch: number, form: StoreJob['form'], way: StoreJob['way'], sequence: number): Made {
  const all = Array.from({ length: batch }, () => source.next())
  const content =
    form === 'json'
      ? { json: Buffer.from(batch === 1 ? all[0]!.json : `[${all.map(({ json }) => json).join(',')}]`) }
      : { statements: all.map(({ json }) => fromJson(StatementSchema, JSON.parse(json))) }
  const bytes =
    way === 'unary'
      ? toBinary(StoreStatementsRequestSchema, create(StoreStatementsRequestSchema, content))
      : toBinary(
          StoreStatementsStreamRequestSchema,
          create(StoreStatementsStreamRequestSchema, { sequence: BigInt(sequence), ...content }),
        )
  return { ids: all.map(({ id }) => id), sent: enveloped(bytes) }
}

const unary =
  (session: ClientHttp2Session, echo = false) =>
  ({ ids, sent }: Made): Promise<void> =>
    new Promise((done, fail) => {
      const call = open(session, 'StoreStatements')
      const answers = messagesOf(call, (bytes) => {
        const answer = fromBinary(StoreStatementsResponseSchema, bytes)
        if (!echo) check(answer.ids, ids)
      })
      call.on('error', fail).on('close', () => {
        if (answers.count === 1 && answers.error === undefined) done()
        else fail(answers.error ?? refused(call))
      })
      call.end(sent)
    })

function stream(session: ClientHttp2Session) {
  const waiting = new Map<bigint, { ids: string[]; done: () => void; fail: (error: unknown) => void }>()
  const call = open(session, 'StoreStatementsStream')
  const answers = messagesOf(call, (bytes) => {
    for (const { sequence, result } of fromBinary(StoreStatementsStreamResponseSchema, bytes).outcomes) {
      const { ids, done, fail } = waiting.get(sequence)!
      waiting.delete(sequence)
      if (result.case !== 'stored') fail(new Error(`not stored: ${result.value?.message}`))
      else {
        check(result.value.ids, ids)
        done()
      }
    }
  })
  call
    .on('error', () => {})
    .on('close', () => {
      for (const { fail } of waiting.values()) fail(answers.error ?? refused(call))
    })
  return ({ ids, sent }: Made, sequence: number): Promise<void> =>
    new Promise((done, fail) => {
      waiting.set(BigInt(sequence), { ids, done, fail })
      call.write(sent)
    })
}

function open(session: ClientHttp2Session, method: string): ClientHttp2Stream {
  const headers = { 'content-type': 'application/grpc+proto', te: 'trailers', authorization: authorizationOf(0) }
  return session.request({ ':method': 'POST', ':path': `${service}/${method}`, ...headers }, { endStream: false })
}

function enveloped(bytes: Uint8Array): Buffer {
  const sent = Buffer.alloc(5 + bytes.length)
  sent.writeUInt32BE(bytes.length, 1)
  sent.set(bytes, 5)
  return sent
}

/** Gives each message of the answer to `take`. */
function messagesOf(call: ClientHttp2Stream, take: (bytes: Uint8Array) => void) {
  const seen = { count: 0, error: undefined as unknown }
  let rest: Buffer = Buffer.alloc(0)
  call.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const end = 5 + rest.readUInt32BE(1)
      try {
        take(rest.subarray(5, end))
        seen.count++
      } catch (error) {
        seen.error = error
        call.destroy()
      }
      rest = rest.subarray(end)
    }
  })
  call.on('trailers', (trailers) => {
    if (trailers['grpc-status'] !== '0') seen.error = new Error(`refused: ${String(trailers['grpc-message'])}`)
  })
  return seen
}

function check(found: readonly string[], sent: readonly string[]): void {
  const same = found.length === sent.length && found.every((id, n) => id === sent[n])
  if (!same) throw new Error('other ids were acknowledged than were sent')
}

const refused = (call: ClientHttp2Stream) => new Error(`no answer (${call.rstCode})`)
