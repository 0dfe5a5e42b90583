import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusal, HttpRefusal } from './failure.ts'

/** One request body, from its first byte until its answer is ready. */
export interface HeldBody {
  /** Called when others need the room, or the sender is too slow. */
  onEnd: (why: HttpRefusal) => void
  /** Counts bytes that arrived and stay in memory. Throws an HttpRefusal: 503 when there is no room for them. */
  take(bytes: number): void
  /** Counts bytes that arrived and went on to core. */
  pass(bytes: number): void
  /** Gives back the room of some bytes. */
  drop(bytes: number): void
  /** Core has accepted its caller. */
  accept(): void
  /** All of it has arrived: it is not ended any more. */
  arrived(): void
  /** Gives back all its room. */
  done(): void
}

export interface BodyBudget {
  /** Bytes in memory. */
  readonly held: number
  begin(isAccepted: boolean): HeldBody
}

export interface BodyBudgetOptions {
  /** Bytes of all bodies together. */
  readonly max: number
  readonly now?: () => number
}

/** A body that is longer than this waits until core has accepted its caller. */
export const strangerBytes = 64 * 1024
/** Strangers, whom core has not accepted yet, have at most a quarter of the room; the rest is for known callers. */
const strangersShare = 4
/** A sender who takes longer for one piece than `slowMs` is ended when others need the room, the slowest first. */
const pieceBytes = 32 * 1024
const slowMs = 500
/** A sender who takes longer than this for a piece (less than 3.2 KB/s), or for a whole small body, is always ended. */
const tooSlowMs = 10_000
const checkEveryMs = 1000

const noRoom = refusal(Reason.UNAVAILABLE, 'Too many requests at the moment; try again')
// not 408: games drop what a 4xx refuses, and the way to core may have been the slow one
const tooLate = refusal(Reason.UNAVAILABLE, 'The request took too long to arrive; try again')

interface Entry {
  readonly body: HeldBody
  bytes: number
  isAccepted: boolean
  isArriving: boolean
  /** Bytes of the piece that is arriving, and since when. */
  piece: number
  since: number
}

/** Limits the memory of request bodies. When it is full, the slowest senders are ended; strangers end no others. */
export function createBodyBudget({ max, now = () => performance.now() }: BodyBudgetOptions): BodyBudget {
  /** Bodies that are arriving, the slowest first. */
  const arriving = { strangers: new Set<Entry>(), accepted: new Set<Entry>() }
  const held = { strangers: 0, accepted: 0 }
  let timer: NodeJS.Timeout | undefined

  const kindOf = ({ isAccepted }: Entry) => (isAccepted ? 'accepted' : 'strangers')
  const all = (): number => held.strangers + held.accepted
  const isFull = (kind: keyof typeof held): boolean =>
    all() > max || (kind === 'strangers' && held.strangers > max / strangersShare)

  function leave(entry: Entry): void {
    arriving[kindOf(entry)].delete(entry)
    if (arriving.strangers.size + arriving.accepted.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  function end(entry: Entry, why: HttpRefusal): void {
    entry.body.done()
    entry.body.onEnd(why)
  }

  function endTooSlow(): void {
    for (const kind of [arriving.strangers, arriving.accepted]) {
      for (const entry of kind) {
        if (now() - entry.since <= tooSlowMs) break
        end(entry, tooLate)
      }
    }
  }

  function makeRoom(asking: Entry): void {
    const kind = kindOf(asking)
    for (const other of kind === 'strangers' ? [arriving.strangers] : [arriving.strangers, arriving.accepted]) {
      for (const entry of other) {
        if (!isFull(kind)) return
        // strangers are ended first, at any speed
        if (kindOf(entry) === kind && now() - entry.since <= slowMs) break
        if (entry !== asking) end(entry, noRoom)
      }
    }
  }

  function progress(entry: Entry, bytes: number): void {
    const list = arriving[kindOf(entry)]
    const isNew = !list.has(entry)
    if (!entry.isArriving || (!isNew && (entry.piece += bytes) < pieceBytes)) return
    entry.piece = isNew ? bytes : 0
    if (!isNew || bytes >= pieceBytes) entry.since = now()
    list.delete(entry)
    list.add(entry)
    timer ??= setInterval(endTooSlow, checkEveryMs).unref()
  }

  return {
    get held() {
      return all()
    },
    begin(isAccepted) {
      const body: HeldBody = {
        onEnd: () => {},
        take(bytes) {
          entry.bytes += bytes
          held[kindOf(entry)] += bytes
          progress(entry, bytes)
          if (isFull(kindOf(entry))) makeRoom(entry)
          if (isFull(kindOf(entry))) throw noRoom
        },
        pass: (bytes) => progress(entry, bytes),
        drop(bytes) {
          entry.bytes -= bytes
          held[kindOf(entry)] -= bytes
        },
        accept() {
          if (entry.isAccepted) return
          const { bytes } = entry
          body.drop(bytes)
          leave(entry)
          entry.isAccepted = true
          body.take(bytes)
        },
        arrived() {
          entry.isArriving = false
          leave(entry)
        },
        done() {
          body.arrived()
          body.drop(entry.bytes)
        },
      }
      const entry: Entry = { body, bytes: 0, isAccepted, isArriving: true, piece: 0, since: now() }
      return body
    },
  }
}

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip) as Decoder,
  'x-gzip': promisify(gunzip) as Decoder,
  deflate: promisify(inflate) as Decoder,
  br: promisify(brotliDecompress) as Decoder,
}

/** What reading a body needs of its caller. */
export interface BodyReader {
  readonly body: HeldBody
  /** Core has accepted the caller, or the body may be a stranger's. Throws the HttpRefusal of one it does not accept. */
  expectAccepted(): Promise<void>
}

/** Whether the request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  const { headers } = request
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/**
 * Reads and decodes the body, at most `limit` bytes before and after decoding. A body that is large or compressed waits
 * until core has accepted its caller. Throws an HttpRefusal: 413, 415, 400 for a broken encoding, 503 when it arrives too
 * slowly or the budget is used up.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  reader: BodyReader,
): Promise<Buffer> {
  const { headers } = request
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && !Object.hasOwn(decoders, encoding)) throw unknownEncoding()
  if (Number(headers['content-length'] ?? 0) > limit) throw refusal(Reason.TOO_LARGE)
  if (encoding !== 'identity' || Number(headers['content-length'] ?? 0) > strangerBytes) await reader.expectAccepted()
  if (headers.expect !== undefined) response.writeContinue()
  const bytes = await collect(request, limit, reader)
  return encoding === 'identity' ? bytes : await decode(bytes, decoders[encoding]!, limit, reader.body)
}

function collect(request: IncomingMessage, limit: number, reader: BodyReader): Promise<Buffer> {
  const { body } = reader
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const fail = (error: Error): void => {
      request.off('data', take).off('end', finish).off('close', leave)
      request.pause()
      body.done()
      reject(error)
    }
    const take = (chunk: Buffer): void => {
      const isLarge = size <= strangerBytes && size + chunk.length > strangerBytes
      size += chunk.length
      chunks.push(chunk)
      try {
        body.take(chunk.length)
        if (size > limit) throw refusal(Reason.TOO_LARGE)
      } catch (error) {
        return fail(error as Error)
      }
      // one without a length shows only now that it is large
      if (!isLarge || request.complete) return
      request.pause()
      reader.expectAccepted().then(() => request.resume(), fail)
    }
    const finish = (): void => {
      body.arrived()
      request.off('close', leave)
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))
    }
    const leave = (): void => fail(cutOff())
    body.onEnd = fail
    // it may have gone while core was asked
    if (request.destroyed) leave()
    else request.on('data', take).on('end', finish).on('close', leave)
  })
}

async function decode(bytes: Buffer, decoder: Decoder, limit: number, body: HeldBody): Promise<Buffer> {
  try {
    const decoded = await decoder(bytes, { maxOutputLength: limit })
    body.take(decoded.length)
    return decoded
  } catch (error) {
    if (error instanceof HttpRefusal) throw error
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw refusal(Reason.TOO_LARGE)
    throw new HttpRefusal(400, { message: 'The body is not valid in the encoding that Content-Encoding names' })
  } finally {
    body.drop(bytes.length)
  }
}

export function cutOff(): HttpRefusal {
  return new HttpRefusal(400, { message: 'The request ended before its body was complete' })
}

/** Throws an HttpRefusal: 415. */
export function expectNoEncoding({ headers }: IncomingMessage, where: string): void {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity') return
  const message = `Content-Encoding: must be omitted from ${where}`
  throw new HttpRefusal(415, { message, path: 'Content-Encoding' })
}

function unknownEncoding(): HttpRefusal {
  const message = 'Content-Encoding: must be gzip, deflate or br, or omitted'
  return new HttpRefusal(415, { message, path: 'Content-Encoding' }, ['Accept-Encoding', 'gzip, deflate, br'])
}
