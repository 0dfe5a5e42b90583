import type { Logger } from 'pino'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import type { NoteRefusalRequest, RelayReply, RelayRequest } from '../../gen/lrs/v1/relay_pb.js'
import type { Refusal } from '../http/failure.ts'
import { refusal, refusalOf } from '../http/failure.ts'
import type { Caller } from './caller.ts'
import type { AttachmentClient } from './attachment-client.ts'
import { createAttachmentClient } from './attachment-client.ts'
import { connectToCore } from './core-connection.ts'
import type { RelayStream } from './relay-stream.ts'
import { refusalReporter } from '../load/refusal-reporter.ts'
import { traceParent, within } from '../../shared/tracing/trace.ts'

type Calls = RelayRequest['call']
type Results = RelayReply['result']
export type CallName = NonNullable<Calls['case']>
export type CallValue<Name extends CallName> = Extract<Calls, { case: Name }>['value']
export type ResultValue<Name extends CallName> = Extract<Results, { case: Name }>['value']

/** The way into core. */
export interface Relay {
  /** Sends one call to one of the cores. Throws a Refusal for whatever core refuses, UNAVAILABLE when none answers. */
  call<Name extends CallName>(name: Name, value: CallValue<Name>, caller: Caller): Promise<ResultValue<Name>>
  /** Why the core whose turn is next would refuse the request, as it said a moment ago: then no body need be read. */
  refuses(caller: Caller): Refusal | undefined
  /** Tells core of a request that the gateway refused by itself, for the caller's studio; gives up when much else is going on. */
  note(refused: NoteRefusalRequest, caller: Caller): void
  /** Stores and fetches the contents of attachments. */
  readonly attachments: AttachmentClient
  /** Why no core can serve, in words; undefined: one can. */
  trouble(): Promise<string | undefined>
  /** For those who watch over the gateway. */
  figures(): RelayFigures
  close(): void
}

export interface RelayFigures {
  /** Calls without an answer. */
  readonly open: number
  /** Cores. */
  readonly connected: number
  readonly away: number
  /** Times that a core was reached. */
  readonly connects: number
}

export interface RelayOptions {
  /** URL of the relay of each core. */
  cores: readonly string[]
  serviceToken: string
  timeoutMs: number
  log: Logger
}

const maxOpen = 2000
/** Refusals that core is being told of at a time, and calls that may be open meanwhile. */
const maxNotes = 200
const maxOpenToNote = 500
const connectMs = 1000

/** Connects to every core; calls go round those that are connected. */
export function createRelay({ cores, serviceToken, timeoutMs, log }: RelayOptions): Relay {
  let connected = Promise.withResolvers<void>()
  let connects = 0
  const onUp = (): void => {
    connects++
    connected.resolve()
    connected = Promise.withResolvers()
  }
  const attachments = createAttachmentClient({ cores, serviceToken, timeoutMs })
  const connections = cores.map((url) => connectToCore({ url, serviceToken, timeoutMs, log, onUp }))
  let turn = 0
  let open = 0
  let notes = 0

  function next(): RelayStream | undefined {
    for (let tries = 0; tries < connections.length; tries++) {
      turn = (turn + 1) % connections.length
      const stream = connections[turn]!.stream()
      if (stream !== undefined) return stream
    }
    return undefined
  }

  async function nextConnected(): Promise<RelayStream> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, connectMs)
    await Promise.race([connected.promise, late])
    clearTimeout(timer)
    const stream = next()
    if (stream === undefined) throw refusal(Reason.UNAVAILABLE, 'The store is not reachable at the moment; try again')
    return stream
  }

  const note = refusalReporter((refused, { authorization, version, requestId }) => {
    const stream = notes < maxNotes && open < maxOpenToNote ? next() : undefined
    if (stream === undefined) return undefined
    notes++
    const call = { case: 'noteRefusal', value: refused } as const
    return stream.exchange({ $typeName: 'lrs.v1.RelayRequest', id: 0, authorization, version, requestId, call, traceParent: '' }).finally(() => notes--)
  })

  return {
    async call(name, value, { authorization, version, requestId, limitKey }) {
      if (open >= maxOpen) throw refusal(Reason.UNAVAILABLE, 'Too many requests at the moment; try again')
      open++
      try {
        const stream = next() ?? (await nextConnected())
        const call = { case: name, value } as Calls
        const { result } = await within(name, 'client', () =>
          stream.exchange({ $typeName: 'lrs.v1.RelayRequest', id: 0, authorization, version, requestId, call, traceParent: traceParent() }, limitKey),
        )
        if (result.case === name) return result.value as ResultValue<typeof name>
        if (result.case === 'failure') throw refusalOf(result.value)
        throw new Error(`core answered ${name} with ${result.case}`)
      } finally {
        open--
      }
    },
    refuses: ({ authorization, limitKey = '' }) => connections[(turn + 1) % connections.length]!.stream()?.refuses(authorization, limitKey),
    note,
    attachments,
    async trouble() {
      const troubles = await Promise.all(connections.map((connection) => connection.trouble()))
      return troubles.includes(undefined) ? undefined : troubles[0]
    },
    figures() {
      const connected = connections.filter((connection) => connection.stream() !== undefined).length
      return { open, connected, away: connections.length - connected, connects }
    },
    close() {
      attachments.close()
      for (const connection of connections) connection.close()
    },
  }
}
