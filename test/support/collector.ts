import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

/** A step as it came to the collector. */
export interface SentSpan {
  readonly service: string
  readonly trace: string
  readonly id: string
  /** Empty: it begins the trace. */
  readonly parent: string
  readonly name: string
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly attributes: Record<string, string | number>
  /** Ids of the steps that it is linked with. */
  readonly links: { trace: string; id: string }[]
  readonly failed: boolean
  readonly nanoseconds: number
}

export interface Collector {
  readonly url: string
  readonly spans: SentSpan[]
  /** All bytes that came. */
  bytes(): Buffer
  close(): Promise<void>
}

/** Takes traces over OTLP/HTTP in Protobuf, as a collector does, and keeps them. */
export async function startCollector(): Promise<Collector> {
  const spans: SentSpan[] = []
  const all: Buffer[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        if (request.url !== '/v1/traces' || request.headers['content-type'] !== 'application/x-protobuf')
          return void response.writeHead(400).end()
        const body = Buffer.concat(parts)
        const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
        all.push(bytes)
        spans.push(...spansIn(bytes))
        response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bytes: () => Buffer.concat(all),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Reads an ExportTraceServiceRequest (opentelemetry/proto/collector/trace/v1). */
function* spansIn(bytes: Uint8Array): Generator<SentSpan> {
  for (const resourceSpans of messages(fields(bytes), 1)) {
    const service = String(attributesOf(messages(resourceSpans, 1)[0]!, 1)['service.name'])
    for (const scopeSpans of messages(resourceSpans, 2)) {
      for (const span of messages(scopeSpans, 2)) {
        const [start, end] = [7, 8].map((field) => span.get(field)![0] as bigint)
        yield {
          service,
          trace: hex(span, 1),
          id: hex(span, 2),
          parent: hex(span, 4),
          name: text(span, 5),
          kind: Number(span.get(6)?.[0] ?? 0),
          attributes: attributesOf(span, 9),
          links: messages(span, 13).map((link) => ({ trace: hex(link, 1), id: hex(link, 2) })),
          failed: messages(span, 15).some((status) => status.get(3)?.[0] === 2n),
          nanoseconds: Number(end! - start!),
        }
      }
    }
  }
}

type Fields = Map<number, (Uint8Array | bigint)[]>

/** What a message holds, by the numbers of its fields. */
function fields(bytes: Uint8Array): Fields {
  const found: Fields = new Map()
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    const value =
      type === WireType.LengthDelimited
        ? reader.bytes()
        : type === WireType.Bit64
          ? reader.fixed64()
          : type === WireType.Bit32
            ? reader.fixed32()
            : reader.uint64()
    found.set(field, [...(found.get(field) ?? []), value instanceof Uint8Array ? value : BigInt(value)])
  }
  return found
}

const messages = (from: Fields, field: number): Fields[] =>
  (from.get(field) ?? []).map((bytes) => fields(bytes as Uint8Array))
const hex = (from: Fields, field: number): string =>
  Buffer.from((from.get(field)?.[0] as Uint8Array | undefined) ?? []).toString('hex')
const text = (from: Fields, field: number): string =>
  Buffer.from((from.get(field)?.[0] as Uint8Array | undefined) ?? []).toString()

/** Texts and whole numbers. */
function attributesOf(from: Fields, field: number): Record<string, string | number> {
  const pairs = messages(from, field).map((pair) => {
    const value = messages(pair, 2)[0]!
    return [text(pair, 1), value.has(1) ? text(value, 1) : Number(value.get(3)?.[0])] as const
  })
  return Object.fromEntries(pairs)
}
