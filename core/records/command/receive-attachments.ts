import { createHash, type Hash } from 'node:crypto'
import { tooLarge } from '../../../shared/reasons.ts'
import type { Caller } from '../access/caller.ts'
import type { ByteAllowance } from '../../process/limits/byte-allowance.ts'
import type { Slots } from '../../process/concurrency/slots.ts'
import type { GameRoom } from '../access/game-room.ts'
import { Refusal } from '../../process/refusal.ts'
import { chunkSize } from '../store/cell/attachments.ts'
import type { Store } from '../../store.ts'
import { type DeclaredAttachment, expectedContent, type Declared } from '../xapi/attachment.ts'
import { Problem } from '../../process/problem.ts'
import { maxSignature, type Signed } from '../xapi/signature.ts'
import type { HeavyWork } from '../worker/worker.ts'
import { ours, say } from '../../../shared/say.ts'

/** A content begins (its hash as it was sent), or the next bytes of the one that began last. */
export type ContentPart = { readonly sha2: string } | { readonly bytes: Uint8Array }

/** Ids of the stored contents by their sha2. */
export type Received = ReadonlyMap<string, number>

export interface AttachmentReceiver {
  /**
   * Stores contents in chunks as they arrive, checks their hashes and verifies signatures. After a failure it removes
   * the incomplete content. The sweep removes complete contents that no statement uses.
   * @throws Problem, Refusal
   */
  receive(parts: AsyncIterable<ContentPart>, declared: Declared, caller: Caller): Promise<Received>
}

/** By the number of hexadecimal digits of a hash. */
const algorithms: Readonly<Record<number, string>> = { 56: 'sha224', 64: 'sha256', 96: 'sha384', 128: 'sha512' }

export interface ReceiverLimits {
  /** Requests at a time. */
  readonly slots: Slots
  /** Contents in one request. */
  readonly parts: number
  /** Bytes of all contents of one request. */
  readonly bytes: number
  /** Limits the bytes that learners send in all their requests. */
  readonly sent?: ByteAllowance
  readonly room: GameRoom
}

export function attachmentReceiver(
  store: Store['attachments'],
  work: HeavyWork,
  max: ReceiverLimits,
): AttachmentReceiver {
  return {
    async receive(parts, declared, caller) {
      const { game, cell, rules } = caller
      const release = max.slots.take(game)
      const check: Check = (content, signed) => work.run('checkSignature', game, { content, signed, rules })
      const received = new Map<string, number>()
      let count = 0
      let bytes = 0
      let arrival: Arrival | undefined
      try {
        for await (const part of parts) {
          if ('sha2' in part) {
            if (++count > max.parts)
              throw new Problem('', say`must be at most ${ours(max.parts)} contents of attachments`)
            if (arrival) received.set(arrival.sha2, await arrival.end())
            arrival = arrive(store, cell, part.sha2, expectedContent(declared, part.sha2), check)
          } else if (arrival) {
            bytes += part.bytes.byteLength
            if (bytes > max.bytes) throw new Refusal('too-large', ours(tooLarge(max.bytes)))
            max.sent?.take(caller, part.bytes.byteLength)
            max.room.take(game, part.bytes.byteLength)
            await arrival.take(part.bytes)
          } else throw new Problem('', 'must say which content begins before its bytes')
        }
        if (arrival) received.set(arrival.sha2, await arrival.end())
        return received
      } catch (error) {
        await arrival?.drop()
        throw error
      } finally {
        release()
      }
    },
  }
}

interface Arrival {
  readonly sha2: string
  take(bytes: Uint8Array): Promise<void>
  /** The content is whole: checks it and returns its id. */
  end(): Promise<number>
  drop(): Promise<void>
}

type Check = (content: Uint8Array, signed: readonly Signed[]) => Promise<void>

/** One content on its way into the store, a chunk at a time in memory; a signature is held whole. */
function arrive(
  store: Store['attachments'],
  cell: number,
  given: string,
  attachments: readonly DeclaredAttachment[],
  check: Check,
): Arrival {
  const sha2 = given.toLowerCase()
  const digest: Hash = createHash(algorithms[sha2.length]!)
  const signed = signedBy(attachments)
  const signature: Uint8Array[] = []
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let size = 0
  let id: number | undefined
  let chunks = 0

  /** Stores what waits, except what may be the last chunk. */
  async function flush(): Promise<void> {
    const bytes = Buffer.concat(waiting)
    let at = 0
    for (; bytes.length - at > chunkSize; at += chunkSize) {
      const chunk = bytes.subarray(at, at + chunkSize)
      if (id === undefined) id = await store.begin(cell, chunk)
      else await store.append(id, chunks, chunk)
      chunks++
    }
    waiting = [bytes.subarray(at)]
    waitingBytes = bytes.length - at
  }

  return {
    sha2,
    async take(bytes) {
      digest.update(bytes)
      size += bytes.byteLength
      if (signed[0]) {
        if (size > maxSignature)
          throw new Problem(signed[0].path, `must be a signature of at most ${maxSignature} bytes`)
        signature.push(bytes)
      }
      waiting.push(bytes)
      waitingBytes += bytes.byteLength
      if (waitingBytes > chunkSize) await flush()
    },
    async end() {
      const actual = digest.digest('hex')
      if (actual !== sha2)
        throw new Problem(
          'X-Experience-API-Hash',
          say`must be the SHA-2 hash of the part: it says ${sha2}, the bytes have ${actual}`,
        )
      if (signed.length > 0) await check(Buffer.concat(signature), signed)
      const kept = await store.keep(cell, id, chunks, Buffer.concat(waiting), sha2, size)
      id = undefined
      return kept
    },
    async drop() {
      if (id !== undefined) await store.discard(id).catch(() => undefined)
    },
  }
}

/** The statements that a content signs, each once. */
function signedBy(attachments: readonly DeclaredAttachment[]): Signed[] {
  const paths = new Map(attachments.flatMap(({ path, signs }) => (signs ? [[signs, path] as const] : [])))
  return [...paths].map(([signs, path]) => ({ ...signs, path }))
}
