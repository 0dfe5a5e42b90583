import type { Logger } from 'pino'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import type { NoteRefusalRequest, RelayReply, RelayRequest } from '../../gen/lrs/v1/relay_pb.js'
import type { HttpRefusal } from '../http/failure.ts'
import { refusal, refusalOf } from '../http/failure.ts'
import { follow, watchAddresses, type CoreAddress, type Names } from './addresses.ts'
import type { Caller } from './caller.ts'
import type { AttachmentClient } from './attachment-client.ts'
import { createAttachmentClient } from './attachment-client.ts'
import { connectToCore, type CoreConnection } from './core-connection.ts'
import type { RelayStream } from './relay-stream.ts'
import type { CoreTls } from '../../shared/tls/core-tls.ts'
import { coreWay } from './core-way.ts'
import { createCallers, type Callers } from '../load/callers.ts'
import { refusalReporter } from '../load/refusal-reporter.ts'
import { isTracing, traceParent, within } from '../../shared/tracing/trace.ts'

type Calls = RelayRequest['call']
type Results = RelayReply['result']
export type CallName = NonNullable<Calls['case']>
export type CallValue<Name extends CallName> = Extract<Calls, { case: Name }>['value']
export type ResultValue<Name extends CallName> = Extract<Results, { case: Name }>['value']

/** Calls core. */
export interface Relay {
  /** Sends a call to one of the cores. Throws an HttpRefusal when core refuses; UNAVAILABLE when no core answers. */
  call<Name extends CallName>(name: Name, value: CallValue<Name>, caller: Caller): Promise<ResultValue<Name>>
  /** The refusal of the next core that still holds for such a request. Its body then need not be read. */
  refuses(caller: Caller): HttpRefusal | undefined
  /** Reports to core, for the caller's studio, a request that the gateway refused by itself. Skipped under load. */
  note(refused: NoteRefusalRequest, caller: Caller): void
  /** Stores and fetches the contents of attachments. */
  readonly attachments: AttachmentClient
  /** Why no core can serve requests; undefined: at least one can. */
  trouble(): Promise<string | undefined>
  /** For metrics. */
  figures(): RelayFigures
  close(): void
}

export interface RelayFigures {
  /** Calls that are not answered yet. */
  readonly open: number
  /** Number of cores with a connection, and without one. */
  readonly connected: number
  readonly away: number
  /** Connections established since the start. */
  readonly connects: number
}

export interface RelayOptions {
  /** URLs of the relays of cores. A name may have the addresses of several cores, and others later. */
  cores: readonly string[]
  names?: Names
  tls?: CoreTls | undefined
  serviceToken: string
  timeoutMs: number
  log: Logger
  /** Learns from the answers whom core accepts. */
  callers?: Callers
}

const maxOpen = 2000
/** Reports of refusals at a time, and the number of open calls above which none are sent. */
const maxNotes = 200
const maxOpenToNote = 500
const connectMs = 1000

/** Connects to every core. Calls go to the connected cores in turn. */
export function createRelay({
  cores: urls,
  names,
  tls = {},
  serviceToken,
  timeoutMs,
  log,
  callers = createCallers(),
}: RelayOptions): Relay {
  let connected = Promise.withResolvers<void>()
  let connects = 0
  const cores = new Map<string, CoreConnection>()
  /** The stream for requests to each core that is connected. */
  const streams = new Map<string, RelayStream>()
  let inTurn: readonly RelayStream[] = []
  const way = coreWay(tls, log)
  const attachments = createAttachmentClient({ way, serviceToken, timeoutMs })
  const connect = (address: CoreAddress): CoreConnection =>
    connectToCore({
      address,
      way,
      serviceToken,
      timeoutMs,
      log,
      callers,
      onStream(stream) {
        if (stream === undefined) streams.delete(address.id)
        else streams.set(address.id, stream)
        inTurn = [...streams.values()]
        if (stream === undefined) return addresses.again()
        connects++
        connected.resolve()
        connected = Promise.withResolvers()
      },
    })
  const addresses = watchAddresses(
    urls,
    (all) => {
      follow(cores, all, connect, (core) => core.leave())
      attachments.use(all)
    },
    names,
  )
  const traced = isTracing()
  let turn = 0
  let open = 0
  let notes = 0

  function next(): RelayStream | undefined {
    turn = (turn + 1) % (inTurn.length || 1)
    return inTurn[turn]
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

  const note = refusalReporter((value, caller) => {
    const stream = notes < maxNotes && open < maxOpenToNote ? next() : undefined
    if (stream === undefined) return undefined
    notes++
    return stream.exchange({ case: 'noteRefusal', value }, caller).finally(() => notes--)
  })

  return {
    async call(name, value, caller) {
      // half of the room is for those whom core has accepted
      if (open >= (caller.name === '' ? maxOpen / 2 : maxOpen))
        throw refusal(Reason.UNAVAILABLE, 'Too many requests at the moment; try again')
      open++
      try {
        const stream = next() ?? (await nextConnected())
        const call = { case: name, value } as Calls
        const { result } = await (traced
          ? within(name, 'client', () => stream.exchange(call, caller, traceParent()))
          : stream.exchange(call, caller))
        if (result.case === name) return result.value as ResultValue<typeof name>
        if (result.case === 'failure') throw refusalOf(result.value)
        throw new Error(`core answered ${name} with ${result.case}`)
      } finally {
        open--
      }
    },
    refuses: (caller) => inTurn[(turn + 1) % (inTurn.length || 1)]?.refuses(caller),
    note,
    attachments,
    async trouble() {
      const troubles = await Promise.all([...cores.values()].map((core) => core.trouble()))
      if (troubles.includes(undefined)) return undefined
      return troubles[0] ?? `no address is found for ${urls.map((url) => new URL(url).hostname).join(', ')}`
    },
    figures: () => ({ open, connected: streams.size, away: cores.size - streams.size, connects }),
    close() {
      addresses.close()
      attachments.close()
      for (const core of cores.values()) core.close()
      way.close()
    },
  }
}
