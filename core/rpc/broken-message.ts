import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import { FailureSchema, Reason } from '../../gen/lrs/v1/failure_pb.js'

/** What connect says, as `internal`, of messages that cannot be read, and what is wrong with them. */
const said: readonly (readonly [RegExp, string])[] = [
  [/^parse binary: (.*)$/s, '$1'],
  [
    /^received compressed envelope, but do not know how to decompress$/,
    'it is compressed, by nothing that was named or is known here',
  ],
  [/^decompression failed$/, 'it is said to be gzip, but is none or is cut off'],
]

/** What is wrong with a message, where the caller is at fault though connect says that we are. */
export const wrongOf = (error: ConnectError): string | undefined => {
  if (error.code !== Code.Internal || error.isWireError) return undefined
  const [pattern, wrong] = said.find(([pattern]) => pattern.test(error.rawMessage)) ?? []
  return pattern && error.rawMessage.replace(pattern, wrong!)
}

/**
 * Makes a message that cannot be read the caller's fault, for a gate of connect: it has it as ours (`internal`, HTTP 500). Some
 * messages are read outside of the interceptors; but in each protocol an error is what the call is aborted by, before it is told.
 */
export function blameCaller(context: HandlerContext): void {
  const call = context as HandlerContext & { abort(reason?: unknown): void }
  const { abort } = call
  call.abort = (reason) => {
    if (reason instanceof ConnectError) reword(reason, context)
    abort(reason)
  }
}

function reword(error: ConnectError, { method }: HandlerContext): void {
  const wrong = wrongOf(error)
  if (wrong === undefined) return
  const message = `The ${method.methodKind === 'unary' ? 'body' : 'message'} is not a ${method.input.typeName}: ${wrong}`
  const { rawMessage, code, details } = new ConnectError(message, Code.InvalidArgument, undefined, [
    { desc: FailureSchema, value: { reason: Reason.INVALID, message } },
  ])
  Object.assign(error, { rawMessage, code, details, message: `[invalid_argument] ${message}` })
}
