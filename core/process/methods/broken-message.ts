import type { DescMethod } from '@bufbuild/protobuf'
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import { FailureSchema, Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { Refusal } from '../refusal.ts'
import { refusedKey } from './refused.ts'

/** The method of the contract, whether it takes texts here or not. */
export const contractOf = ({ parent, localName }: DescMethod): DescMethod => parent.method[localName]!

/** Texts of Connect's `internal` errors for messages that cannot be read, and what is wrong with these messages. */
const said: readonly (readonly [RegExp, string])[] = [
  [/^parse binary: (.*)$/s, '$1'],
  [
    /^received compressed envelope, but do not know how to decompress$/,
    'it is compressed with an encoding that was not named or is not supported',
  ],
  [/^decompression failed$/, 'it is declared as gzip, but is not gzip or is cut off'],
]

/** What is wrong with a message for which Connect blames core (`internal`) and not the caller; undefined: nothing. */
export const wrongOf = (error: ConnectError): string | undefined => {
  if (error.code !== Code.Internal || error.isWireError) return undefined
  const [pattern, wrong] = said.find(([pattern]) => pattern.test(error.rawMessage)) ?? []
  return pattern && error.rawMessage.replace(pattern, wrong!)
}

/**
 * A request gate of Connect that turns its `internal` (HTTP 500) for a message that cannot be read into
 * `invalid_argument`. Some messages are read outside of the interceptors. But in every protocol an error aborts the
 * call before it is sent, so this changes it there.
 */
export function blameCaller(context: HandlerContext): void {
  const call = context as HandlerContext & { abort(reason?: unknown): void }
  const { abort } = call
  call.abort = (reason) => {
    if (reason instanceof ConnectError) reword(reason, context)
    abort(reason)
  }
}

function reword(error: ConnectError, { method, values }: HandlerContext): void {
  const refused = values.get(refusedKey)
  // too large for a stranger: who could not be looked up may send it again
  if (error.code === Code.ResourceExhausted && error.details.length === 0 && isUnavailable(refused))
    return become(error, Code.Unavailable, Reason.UNAVAILABLE, refused.message)
  const wrong = wrongOf(error)
  if (wrong === undefined) return
  const what = method.methodKind === 'unary' ? 'body' : 'message'
  const message = `The ${what} is not a ${contractOf(method).input.typeName}: ${wrong}`
  become(error, Code.InvalidArgument, Reason.INVALID, message)
}

const isUnavailable = (error: unknown): error is Refusal => error instanceof Refusal && error.reason === 'unavailable'

function become(error: ConnectError, code: Code, reason: Reason, text: string): void {
  const { message, rawMessage, details } = new ConnectError(text, code, undefined, [
    { desc: FailureSchema, value: { reason, message: text } },
  ])
  Object.assign(error, { message, rawMessage, code, details })
}
