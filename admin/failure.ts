import { Code, ConnectError } from '@connectrpc/connect'
import { FailureSchema } from '../gen/lrs/v1/failure_pb.js'
import { plain } from './show.ts'

/** What went wrong with a call, in one line. */
export function lineOf(error: unknown, coreUrl: string): string {
  const failed = ConnectError.from(error)
  const [failure] = failed.findDetails(FailureSchema)
  if (failure) return plain(failure.message).replaceAll('\n', ' ')
  if (failed.code === Code.Unimplemented || failed.code === Code.Unknown) return `What answers at ${coreUrl} is not the core of this version.`
  return `Core does not answer at ${coreUrl}: start it, or say with --core or LRS_CORE_URL where it is.`
}
