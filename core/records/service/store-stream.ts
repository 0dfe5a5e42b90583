import type { MessageInitShape } from '@bufbuild/protobuf'
import { createContextKey } from '@connectrpc/connect'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import {
  StatementService,
  type StoreStatementsOutcomeSchema,
  type StoreStatementsStreamRequest,
  type StoreStatementsStreamResponseSchema,
} from '../../../gen/lrs/v1/statements_pb.js'
import { begin } from '../../../shared/tracing/trace.ts'
import { StaleCaller } from '../access/caller.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import { within } from './attachments.ts'
import type { Call } from '../../process/methods/call.ts'
import { ended, perform } from '../calls/perform.ts'
import { failureOf } from '../../process/methods/failure.ts'
import type { Operation } from '../calls/operation.ts'
import { store } from './store-statements.ts'
import { say } from '../../../shared/say.ts'

type Outcome = MessageInitShape<typeof StoreStatementsOutcomeSchema>
type Response = MessageInitShape<typeof StoreStatementsStreamResponseSchema>

/** Function that closes the call's connection without an answer. */
export const hangUpKey = createContextKey<() => void>(() => {})

/**
 * Most requests of one stream that run at a time, and their bytes; one request always runs. `patience`: milliseconds
 * within which the next request must arrive, and the client must read the answers.
 */
const usual = { requests: 64, bytes: 4 * 1024 * 1024, patience: 5 * 60_000 }
/** Bytes that a typed statement counts as, since its message does not contain its size. */
const typedBytes = 4 * 1024

/** Authenticates the caller and takes a slot. Each request of the stream authenticates again. */
export const openStream: Operation<undefined, () => void> = {
  method: StatementService.method.storeStatementsStream,
  action: () => 'store statements',
  scopes: () => ['statements/write'],
  bypassesFairQueue: true,
  run: async ({ authenticator, storeStreams }, caller) => {
    // before the query, so that a flood of streams does not reach the database
    const release = storeStreams.take(caller)
    try {
      if (await authenticator.isCurrent(caller)) return release
      throw new StaleCaller('the credential has changed')
    } catch (error) {
      release()
      throw error
    }
  },
}

/**
 * Runs each message as a call of StoreStatements, several at a time, and answers each when its outcome is known. It
 * reads no more from a client that does not read its answers. @throws Problem, Refusal
 */
export async function* storeStream(
  core: Core,
  messages: AsyncIterable<StoreStatementsStreamRequest>,
  call: Call,
  hangUp: () => void,
  most = usual,
): AsyncGenerator<Response> {
  const release = await perform(core, openStream, undefined, call)
  const source = messages[Symbol.asyncIterator]()
  const change = bell()
  let ready: { outcome: Outcome; size: number }[] = []
  let [open, bytes] = [0, 0]
  /** Set when the stream reads no more requests. */
  let over: { error?: unknown } | undefined
  const stop = (error?: unknown): void => {
    over ??= { error }
    change.ring()
  }
  const end = (): void =>
    stop(new Refusal('unavailable', 'This core is stopping; open the stream again and send what has no answer.'))

  const take = async (request: StoreStatementsStreamRequest, size: number): Promise<void> => {
    open++
    bytes += size
    const outcome = await outcomeOf(core, request, call)
    const refused = outcome.result?.case === 'failure' && outcome.result.value
    // all further requests would be refused as well
    if (refused && refused.reason === Reason.UNAUTHENTICATED)
      stop(new Refusal('unauthenticated', say`${refused.message ?? ''}`))
    // answers of one commit go into one message
    if (ready.push({ outcome, size }) === 1) setImmediate(change.ring)
  }
  const read = async (): Promise<void> => {
    for (;;) {
      while (!over && (open >= most.requests || bytes >= most.bytes)) await change.rung()
      if (over) return
      // this fails when the caller has gone
      const next = await within(most.patience, source.next())
      if (next.done) return stop()
      const { json, statements } = next.value
      if (!over) void take(next.value, json.byteLength + statements.length * typedBytes)
    }
  }

  core.storeStreams.ending.addEventListener('abort', end)
  if (core.storeStreams.ending.aborted) end()
  read().catch(stop)
  try {
    for (;;) {
      if (ready.length > 0) {
        const answers = ready
        ready = []
        const late = setTimeout(hangUp, most.patience)
        try {
          yield { outcomes: answers.map(({ outcome }) => outcome) }
        } finally {
          clearTimeout(late)
        }
        open -= answers.length
        bytes -= answers.reduce((sum, { size }) => sum + size, 0)
        change.ring()
      } else if (!over || open > 0) {
        await change.rung()
      } else if (over.error === undefined) {
        return
      } else {
        throw over.error
      }
    }
  } finally {
    stop()
    core.storeStreams.ending.removeEventListener('abort', end)
    release()
  }
}

/** Each request of the stream is a call by itself. */
async function outcomeOf(core: Core, request: StoreStatementsStreamRequest, stream: Call): Promise<Outcome> {
  const { sequence } = request
  const call: Call = { ...stream, method: store.method.name, began: performance.now(), asked: undefined }
  try {
    const response = await begin(call.method, { kind: 'server' }, () => perform(core, store, request, call))
    ended(core, call, { response })
    return { sequence, result: { case: 'stored', value: response } }
  } catch (error) {
    const { failure } = failureOf(error, core.log, { method: 'StoreStatementsStream' })
    ended(core, call, { error, failure })
    return { sequence, result: { case: 'failure', value: failure } }
  }
}

/** A signal that one side rings and the other waits for. */
function bell() {
  let next = Promise.withResolvers<void>()
  return {
    rung: () => next.promise,
    ring(): void {
      next.resolve()
      next = Promise.withResolvers()
    },
  }
}
