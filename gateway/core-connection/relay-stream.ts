import type { Client, ClientDuplexStream, Metadata, ServiceError } from '@grpc/grpc-js'
import { create } from '@bufbuild/protobuf'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { NoteRefusalRequestSchema, type RelayReply, type RelayRequest } from '../../gen/lrs/v1/relay_pb.js'
import type { HttpRefusal } from '../http/failure.ts'
import { refusal, refusalOf } from '../http/failure.ts'
import type { Callers } from '../load/callers.ts'
import { messageFrame, repliesOf, requestOf, type Entry, type MessageFrame } from '../../shared/relay-codec.ts'
import type { Caller } from './caller.ts'

export interface RelayStreamEvents {
  /** Core sent its first reply. */
  onFirstReply(): void
  /** The stream ended; `lost` requests had no reply yet. */
  onEnd(lost: number, error?: ServiceError): void
}

/** One stream of RelayService.Exchange. Waiting requests are sent in one message; replies are matched by id. */
export interface RelayStream {
  /**
   * Throws an HttpRefusal: UNAVAILABLE when the stream ends or after `timeoutMs`. A refusal that still holds for this
   * caller and its `limitKey` is thrown without asking core.
   */
  exchange(call: RelayRequest['call'], caller: Caller, traceParent?: string): Promise<RelayReply>
  /** A recent refusal of core that still holds for such a request. */
  refuses(caller: Caller): HttpRefusal | undefined
  /** Ends the stream when all its requests are answered. */
  finish(): void
  /** Ends the stream now. */
  cancel(): void
}

interface Open {
  resolve(reply: RelayReply): void
  reject(error: Error): void
  caller: Caller
  sent: number
}

const path = '/lrs.v1.RelayService/Exchange'
const sweepMs = 100
/** Limits of one message on the stream. Core accepts 4 MiB, and no request is larger than 3 MiB. */
const maxRequests = 64
const maxBytes = 4_000_000

export function openRelayStream(
  client: Client,
  metadata: Metadata,
  timeoutMs: number,
  callers: Callers,
  { onFirstReply, onEnd }: RelayStreamEvents,
): RelayStream {
  const stream: ClientDuplexStream<MessageFrame, RelayReply[]> = client.makeBidiStreamRequest(
    path,
    asIs,
    repliesOf,
    metadata,
  )
  /** Requests without a reply, in the order in which they were sent, and so in the order of their deadlines. */
  const open = new Map<number, Open>()
  /** Kept with the stream, because a core that restarts begins to count from zero. */
  const refusals = callers.ofCore()
  const waiting: Entry[] = []
  let scheduled = false
  /** The send window is full: wait for `drain` before writing more. */
  let full = false
  let isAnswered = false
  let finishing = false
  let ended = false
  let lastId = 0
  const sweep = setInterval(expire, sweepMs).unref()
  stream.on('data', take).on('drain', resume).on('end', end).on('error', end)

  function take(replies: RelayReply[]): void {
    for (const reply of replies) {
      const one = open.get(reply.id)
      if (one === undefined) continue
      open.delete(reply.id)
      const { authorization, limitKey = '' } = one.caller
      if (reply.caller !== '') callers.accept(authorization, reply.caller)
      if (reply.result.case === 'failure') {
        const { value: failure } = reply.result
        if (failure.reason === Reason.UNAUTHENTICATED) callers.forget(authorization)
        if (reply.holdsMs > 0) refusals.keep({ authorization, limitKey }, failure, one.sent + reply.holdsMs)
      }
      one.resolve(reply)
    }
    if (!isAnswered) onFirstReply()
    isAnswered = true
    if (finishing && open.size === 0) stream.end()
  }

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(flush)
  }

  function flush(): void {
    scheduled = false
    while (!full && stream.writable && waiting.length > 0) {
      let bytes = waiting[0]!.size
      let count = 1
      while (count < waiting.length && count < maxRequests && (bytes += waiting[count]!.size) <= maxBytes) count++
      full = !stream.write(messageFrame(waiting.splice(0, count)))
    }
  }

  function resume(): void {
    full = false
    flush()
  }

  function expire(): void {
    const now = performance.now()
    for (const [id, one] of open) {
      if (one.sent + timeoutMs > now) break
      open.delete(id)
      one.reject(refusal(Reason.UNAVAILABLE, 'The store took too long to answer; try again'))
    }
    if (finishing && open.size === 0) stream.end()
    else if (!ended && !finishing) reportRefusals()
  }

  /** Reports the requests that were refused here without asking core, which counts them for studios. */
  function reportRefusals(): void {
    for (const { key, failure, times } of refusals.takeUnreported()) {
      const [method, path] = key.limitKey.split(' ', 2)
      const value = create(NoteRefusalRequestSchema, {
        request: `${method} ${path}`,
        status: refusalOf(failure).status,
        failure,
        times,
      })
      const caller = { authorization: key.authorization, name: '', address: '', version: '', requestId: '' }
      exchange({ case: 'noteRefusal', value }, caller).catch(() => {})
    }
  }

  function exchange(call: RelayRequest['call'], caller: Caller, traceParent = ''): Promise<RelayReply> {
    const refused = call.case === 'noteRefusal' ? undefined : refuses(caller)
    if (refused !== undefined) return Promise.reject(refused)
    return new Promise((resolve, reject) => {
      do lastId = (lastId + 1) >>> 0
      while (open.has(lastId))
      waiting.push(requestOf(lastId, { ...caller, traceParent }, call))
      open.set(lastId, { resolve, reject, caller, sent: performance.now() })
      schedule()
    })
  }

  function refuses({ authorization, limitKey = '' }: Caller): HttpRefusal | undefined {
    return refusals.find({ authorization, limitKey })
  }

  function end(error?: ServiceError): void {
    if (ended) return
    ended = true
    clearInterval(sweep)
    for (const one of open.values())
      one.reject(refusal(Reason.UNAVAILABLE, 'The connection to the store broke; try again'))
    onEnd(open.size, error)
  }

  return {
    exchange,
    refuses,
    finish() {
      finishing = true
      if (open.size === 0) stream.end()
    },
    cancel() {
      end()
      stream.cancel()
    },
  }
}

function asIs(frame: MessageFrame): Buffer {
  return frame as Buffer
}
