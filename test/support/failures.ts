import { ConnectError } from '@connectrpc/connect'
import { expect } from 'vitest'
import { FailureSchema, Reason } from '../../gen/lrs/v1/failure_pb.js'

/** What a refused call says; 'ok' when it was not refused. */
export const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok' as const,
    (error) => ConnectError.from(error).findDetails(FailureSchema)[0]!,
  )

/** Name of the reason; 'ok' when it was not refused. */
export async function reasonOf(call: Promise<unknown>): Promise<string> {
  const failure = await failureOf(call)
  return failure === 'ok' ? failure : Reason[failure.reason]
}

/** Reason, path and message of a call that has to be refused. */
export async function refusal(call: Promise<unknown>): Promise<{ reason: Reason; path: string; message: string }> {
  const { reason, path, message } = await call.then(
    () => expect.fail('it was not refused'),
    (error) => ConnectError.from(error).findDetails(FailureSchema)[0]!,
  )
  return { reason, path, message }
}

/** The code of the error; 'ok' when there is none. */
export const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok' as const,
    (error) => ConnectError.from(error).code,
  )
