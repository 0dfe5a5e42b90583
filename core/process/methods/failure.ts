import { create } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeFromString } from '@connectrpc/connect/protocol-connect'
import type { Logger } from 'pino'
import { FailureSchema, Reason, Subject, type Failure } from '../../../gen/lrs/v1/failure_pb.js'
import { reasons, type ReasonName } from '../../../shared/reasons.ts'
import { StorageFailure } from '../../../storage/storage.ts'
import { Refusal, type RefusalSubject } from '../refusal.ts'
import { Problem } from '../problem.ts'
import { wrongOf } from './broken-message.ts'
import { say } from '../../../shared/say.ts'
import { byName } from './enums.ts'

const subjects: Readonly<Record<RefusalSubject, Subject>> = byName(Subject)

const storageAway = 'The file storage cannot be reached or is full; try again.'

/** Most further faults that a caller of RPC gets: gRPC sends them as a header, and some clients take 8 KB of headers. */
const mostFurther = 10

/** The properties of a call in the log. */
export interface CallName {
  readonly request?: string
  readonly method?: string
  /** Aborted once the call is over or its caller has gone. */
  readonly signal?: AbortSignal
}

/** The failure that the caller gets for an error. An error that is not meant for callers goes to the log only. */
export function failureOf(
  error: unknown,
  log: Logger,
  { signal: _signal, ...call }: CallName = {},
): { failure: Failure; code: Code } {
  if (error instanceof StorageFailure)
    return failureOf(new Refusal('unavailable', storageAway, { cause: error }), log, call)
  // core/process/outage.ts logs that the database is away
  if (error instanceof Refusal && error.reason === 'unavailable')
    log[error.away ? 'debug' : 'warn']({ ...call, err: error.cause ?? error }, error.message)
  const told = toldOf(error)
  if (told.failure.reason === Reason.INTERNAL)
    log.error({ ...call, err: error }, 'a call failed because of a fault in core')
  return told
}

/** The path and the message of a refusal without what came from outside: what may be kept. Other errors say nothing. */
export function formOf(error: unknown): { path: string; message: string } {
  if (error instanceof Refusal) return { path: error.path, message: error.said.form }
  if (!(error instanceof Problem)) return { path: '', message: '' }
  const { place, whole } = error
  return { path: place.form, message: place.form === '' ? wholly(whole.form) : whole.form }
}

/** Without a path, the subject of "must be …" is the whole request. */
const wholly = (message: string): string => message.replace(/^must /, 'The request must ')

/** The same without the log. A Connect error comes from reading a stream that goes on. */
export function toldOf(error: unknown): { failure: Failure; code: Code } {
  if (error instanceof Problem) {
    const { path, rule, further } = error
    const message = path === '' ? wholly(error.message) : error.message
    return asRow('invalid', { message, path, rule, further: further.map((one) => toldOf(one).failure) })
  }
  if (error instanceof Refusal) {
    const { reason, message, path, rule, subject } = error
    return asRow(reason, { message, path, rule, subject: subject && subjects[subject] })
  }
  if (error instanceof ConnectError) {
    const wrong = error.code === Code.InvalidArgument ? error.rawMessage : wrongOf(error)
    if (wrong !== undefined) return toldOf(new Problem('', say`The message cannot be read: ${wrong}`))
    if (error.code === Code.ResourceExhausted) return toldOf(new Refusal('too-large', say`${error.rawMessage}`))
  }
  return asRow('internal', { message: 'Something went wrong on our side; the log has details under the request id.' })
}

function asRow(
  name: ReasonName,
  about: Partial<Omit<Failure, '$typeName' | 'reason'>>,
): { failure: Failure; code: Code } {
  const { reason, rpc } = reasons[name]
  return { failure: create(FailureSchema, { ...about, reason }), code: codeFromString(rpc)! }
}

/** The same as an error of Connect, with the Failure as its detail. */
export function connectErrorOf(error: unknown, log: Logger, call: CallName = {}): ConnectError {
  if (isGone(error, call.signal)) return new ConnectError('The caller has gone.', Code.Canceled)
  if (error instanceof ConnectError) {
    const breaksContract = error.code === Code.InvalidArgument && error.findDetails(FailureSchema).length === 0
    // a message that is not part of the contract is replaced
    if (breaksContract)
      error.details.splice(0, error.details.length, {
        desc: FailureSchema,
        value: { reason: Reason.INVALID, message: error.rawMessage },
      })
    return error
  }
  const { failure, code } = failureOf(error, log, call)
  failure.further.splice(mostFurther)
  return new ConnectError(failure.message, code, undefined, [{ desc: FailureSchema, value: failure }])
}

/** Whether it is Node's error for a caller that has gone, which Connect throws into the calls under way. */
const isGone = (error: unknown, signal?: AbortSignal): boolean => {
  if (!(error instanceof Error)) return false
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ERR_STREAM_PREMATURE_CLOSE') return signal?.aborted === true
  return (
    ['ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'ERR_HTTP2_INVALID_STREAM'].includes(code) ||
    (code === 'ECONNRESET' && message === 'aborted')
  )
}
