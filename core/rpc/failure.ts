import { create } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Logger } from 'pino'
import { FailureSchema, Reason, type Failure } from '../../gen/lrs/v1/failure_pb.js'
import { Refusal, type RefusalReason } from '../refusal.ts'
import { Problem } from '../xapi/problem.ts'

/** The one table from what core throws to what callers see. */
const table: Record<RefusalReason, { reason: Reason; code: Code }> = {
  unauthenticated: { reason: Reason.UNAUTHENTICATED, code: Code.Unauthenticated },
  forbidden: { reason: Reason.FORBIDDEN, code: Code.PermissionDenied },
  'not-found': { reason: Reason.NOT_FOUND, code: Code.NotFound },
  conflict: { reason: Reason.CONFLICT, code: Code.Aborted },
  'precondition-failed': { reason: Reason.PRECONDITION_FAILED, code: Code.FailedPrecondition },
  'too-many-statements': { reason: Reason.TOO_MANY_STATEMENTS, code: Code.ResourceExhausted },
  'too-large': { reason: Reason.TOO_LARGE, code: Code.ResourceExhausted },
  'rate-limited': { reason: Reason.RATE_LIMITED, code: Code.ResourceExhausted },
  unavailable: { reason: Reason.UNAVAILABLE, code: Code.Unavailable },
  'quota-exceeded': { reason: Reason.QUOTA_EXCEEDED, code: Code.ResourceExhausted },
}

/** What the log says of a call: its request id and its method. */
export interface CallName {
  readonly request?: string
  readonly method?: string
}

/** What the caller is told of an error. What is not meant for callers goes whole to the log and stays masked outside. */
export function failureOf(error: unknown, log: Logger, call: CallName = {}): { failure: Failure; code: Code } {
  if (error instanceof Problem) {
    const { path, rule } = error
    // without a path it is the whole that "must be …"
    const message = path === '' ? error.message.replace(/^must /, 'The request must ') : error.message
    return { failure: create(FailureSchema, { reason: Reason.INVALID, message, path, rule }), code: Code.InvalidArgument }
  }
  if (error instanceof Refusal) {
    if (error.reason === 'unavailable') log.warn({ ...call, err: error.cause ?? error }, error.message)
    const { reason, code } = table[error.reason]
    return { failure: create(FailureSchema, { reason, message: error.message, rule: error.rule }), code }
  }
  log.error({ ...call, err: error }, 'a call failed for a reason of our own')
  const message = 'Something went wrong on our side; the log has it under the request id.'
  return { failure: create(FailureSchema, { reason: Reason.INTERNAL, message }), code: Code.Internal }
}

/** The same as an error of Connect, with the Failure as its detail. */
export function connectErrorOf(error: unknown, log: Logger, call: CallName = {}): ConnectError {
  if (error instanceof ConnectError) {
    const breaksContract = error.code === Code.InvalidArgument && error.findDetails(FailureSchema).length === 0
    if (breaksContract) error.details.push({ desc: FailureSchema, value: { reason: Reason.INVALID, message: error.rawMessage } })
    return error
  }
  const { failure, code } = failureOf(error, log, call)
  return new ConnectError(failure.message, code, undefined, [{ desc: FailureSchema, value: failure }])
}
