import type { Client, ClientDuplexStream, Metadata, ServiceError } from '@grpc/grpc-js'
import { create } from '@bufbuild/protobuf'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import type { RelayReply, RelayRequest } from '../../gen/lrs/v1/relay_pb.js'
import { NoteRefusalRequestSchema } from '../../gen/lrs/v1/relay_pb.js'
import type { Refusal } from '../http/failure.ts'
import { refusal, refusalOf } from '../http/failure.ts'
import type { RelayFrame, PackedRequest } from './relay-frame.ts'
import { refusalCache } from '../load/refusal-cache.ts'
import { countThatFit, relayFrame, pack, repliesOf } from './relay-frame.ts'

export interface RelayStreamEvents {
  /** Core answered something. */
  onReply(): void
  /** The stream is over; `lost` requests had no reply yet. */
  onEnd(lost: number, error?: ServiceError): void
}

/** One stream of RelayService.Exchange: requests that wait together travel together, replies are matched by id. */
export interface RelayStream {
  /**
   * Throws a Refusal: UNAVAILABLE when the stream ends or `timeoutMs` are over, and without core what it has said that it would
   * refuse; requests that say the same in `limitKey` count in the same limit.
   */
  exchange(request: RelayRequest, limitKey?: string): Promise<RelayReply>
  /** Why core would refuse the request, as it said a moment ago. */
  refuses(authorization: string, limitKey: string): Refusal | undefined
  /** Ends the stream when what was given to it is answered. */
  finish(): void
  /** Ends it now. */
  cancel(): void
}

interface Open {
  resolve(reply: RelayReply): void
  reject(error: Error): void
  authorization: string
  limitKey: string
  sent: number
}

const path = '/lrs.v1.RelayService/Exchange'
const sweepMs = 100

export function openRelayStream(client: Client, metadata: Metadata, timeoutMs: number, { onReply, onEnd }: RelayStreamEvents): RelayStream {
  const stream: ClientDuplexStream<RelayFrame, RelayReply[]> = client.makeBidiStreamRequest(path, asIs, repliesOf, metadata)
  /** Requests without reply, in the order in which they came, which is that of their deadlines. */
  const open = new Map<number, Open>()
  /** Ends with the stream: a core that starts anew counts anew. */
  const held = refusalCache()
  let waiting: PackedRequest[] = []
  let scheduled = false
  /** Core has to read on before more is written. */
  let full = false
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
      if (reply.holdsMs > 0 && reply.result.case === 'failure') held.keep(one, reply.result.value, one.sent + reply.holdsMs)
      one.resolve(reply)
    }
    onReply()
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
      const count = countThatFit(waiting)
      full = !stream.write(relayFrame(waiting.slice(0, count)))
      waiting = waiting.slice(count)
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
    else if (!ended && !finishing) tell()
  }

  /** Core counts for studios what is refused here. */
  function tell(): void {
    for (const { key, failure, times } of held.takeUnreported()) {
      const [method, path] = key.limitKey.split(' ', 2)
      const value = create(NoteRefusalRequestSchema, { request: `${method} ${path}`, status: refusalOf(failure).status, failure, times })
      const { authorization } = key
      exchange({ $typeName: 'lrs.v1.RelayRequest', id: 0, authorization, version: '', requestId: '', traceParent: '', call: { case: 'noteRefusal', value } }, '').catch(() => {})
    }
  }

  function exchange(request: RelayRequest, limitKey: string): Promise<RelayReply> {
    return new Promise((resolve, reject) => {
      do lastId = (lastId + 1) >>> 0
      while (open.has(lastId))
      request.id = lastId
      waiting.push(pack(request))
      open.set(lastId, { resolve, reject, authorization: request.authorization, limitKey, sent: performance.now() })
      schedule()
    })
  }

  function end(error?: ServiceError): void {
    if (ended) return
    ended = true
    clearInterval(sweep)
    for (const one of open.values()) one.reject(refusal(Reason.UNAVAILABLE, 'The connection to the store broke; try again'))
    onEnd(open.size, error)
  }

  return {
    async exchange(request, limitKey = '') {
      const refused = request.call.case === 'noteRefusal' ? undefined : held.find({ authorization: request.authorization, limitKey })
      if (refused !== undefined) throw refused
      return exchange(request, limitKey)
    },
    refuses: (authorization, limitKey) => held.find({ authorization, limitKey }),
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

function asIs(frame: RelayFrame): Buffer {
  return frame as Buffer
}
