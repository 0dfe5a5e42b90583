import { Refusal } from '../refusal.ts'

/**
 * `not allowed`: this call may never be made; `failed`: the other system did not answer as it should; `refused`: it took
 * no connection, or broke it off, as it does while it starts.
 */
export type OutgoingFailure = 'not allowed' | 'failed' | 'refused'

/** A call to another system that gave no answer. The message names its host, never a path, a header or a content. */
export class OutgoingError extends Refusal {
  readonly failure: OutgoingFailure

  constructor(failure: OutgoingFailure, message: string) {
    super('unavailable', message)
    this.name = 'OutgoingError'
    this.failure = failure
  }
}

/** What went wrong on the way to a host, in words. */
export function failureOf(error: unknown, host: string, signal: AbortSignal): OutgoingError {
  if (error instanceof OutgoingError) return error
  if (signal.aborted) return new OutgoingError('failed', `${host} did not answer in time.`)
  const code = String((error as { code?: unknown } | null)?.code ?? 'unknown error').slice(0, 60)
  if (code === 'ECONNREFUSED') return new OutgoingError('refused', `${host} refuses connections.`)
  if (/CERT|SIGNATURE|ISSUER/.test(code))
    return new OutgoingError('failed', `The certificate of ${host} is not accepted (${code}).`)
  const isRefused = /^(ECONNRESET|EPIPE|EHOSTUNREACH|ENETUNREACH)$/.test(code)
  return new OutgoingError(isRefused ? 'refused' : 'failed', `The call to ${host} failed (${code}).`)
}
