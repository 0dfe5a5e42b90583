import { Refusal } from '../refusal.ts'
import { say } from '../../../shared/say.ts'

/**
 * `not allowed`: this call may never be made; `failed`: the other system did not answer as it should; `broke off`: it
 * ended for a reason of ours, which says nothing of the other system.
 */
export type OutgoingFailure = 'not allowed' | 'failed' | 'broke off'

/**
 * A call to another system that gave no answer. The message is for operators. It names the host, never a path, a header
 * or a content.
 */
export class OutgoingError extends Refusal {
  readonly failure: OutgoingFailure
  /** What a studio reads: the same text for closed, filtered and private addresses. Empty: that nothing answers. */
  readonly told: string

  constructor(failure: OutgoingFailure, message: string, told = message) {
    super('unavailable', say`${message}`)
    this.name = 'OutgoingError'
    this.failure = failure
    this.told = told
  }
}

/** Whether a call ended for a reason of ours: it is made again soon, and nothing is noted of the other system. */
export const isBrokenOff = (error: unknown): boolean => error instanceof OutgoingError && error.failure === 'broke off'

/** The one text for a host that gives no answer, whatever the reason. */
export const unanswered = (host: string): string =>
  `${host} gave no answer over HTTP in time. It has no public address, takes no connection, has no certificate that ` +
  'is accepted, or ended the call. Check the address from another network. The operator of this service can read ' +
  'more, and can allow private networks.'

/** What went wrong on the way to a host. @param isPublic it was called at a public address */
export function failureOf(error: unknown, host: string, signal: AbortSignal, isPublic = false): OutgoingError {
  if (error instanceof OutgoingError) {
    const isTold = error.told !== '' && (isPublic || error.failure !== 'failed')
    return isTold ? error : new OutgoingError(error.failure, error.message, unanswered(host))
  }
  if (signal.aborted) return new OutgoingError('failed', `${host} did not answer in time.`, unanswered(host))
  const code = String((error as { code?: unknown } | null)?.code ?? 'unknown error').slice(0, 60)
  if (/CERT|SIGNATURE|ISSUER/.test(code)) {
    const message = `The certificate of ${host} is not accepted (${code}).`
    return new OutgoingError('failed', message, isPublic ? message : unanswered(host))
  }
  const message = code === 'ECONNREFUSED' ? `${host} refuses connections.` : `The call to ${host} failed (${code}).`
  return new OutgoingError('failed', message, unanswered(host))
}
