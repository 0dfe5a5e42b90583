import { ConnectError } from '@connectrpc/connect'
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
