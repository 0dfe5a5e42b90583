import type { DescMessage, DescMethod, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import type { XapiAction } from '../../../shared/rest.ts'
import type { Caller } from '../access/caller.ts'
import type { Core } from '../../context.ts'
import type { Counted } from '../../process/limits/rate-limiter.ts'
import type { Scope } from '../store/cell/credentials.ts'

/** A call of a game, declared once: the service, the relay, metrics and sandboxes derive from it. */
export interface Operation<Request, Response> {
  /** Method of the contract. */
  readonly method: DescMethod
  /** Names what it does; studios see this as an HTTP request. */
  readonly action: (request: Request) => XapiAction
  /** The caller needs one of these, or `all`. */
  readonly scopes: (request: Request) => readonly Scope[]
  /** The windows of the request limits; undefined: no limit. */
  readonly counts?: (request: Request, caller: Caller) => Counted | undefined
  /** It has bounds of its own, so other calls of the game need not wait for it. */
  readonly bypassesFairQueue?: true | ((request: Request) => boolean)
  readonly run: (core: Core, caller: Caller, request: Request) => Promise<Response>
  /** How the studio sees it; undefined: not at all. */
  readonly shown?: Shown<Request, Response>
}

/** In words; and the ids of the statements that it stored. */
export interface ShownOutcome {
  readonly message: string
  readonly stored?: readonly string[]
}

interface Shown<Request, Response> {
  /** The content that the game sent, if it is text. */
  readonly sent?: (request: Request) => Uint8Array | undefined
  /** The outcome of an accepted request, in words, and the number of statements that it stored. */
  readonly outcome: (request: Request, response: Response) => ShownOutcome
  /** True for requests that the game did not make itself, so the studio does not see them. */
  readonly unless?: (request: Request) => boolean
}

/** Declares an operation with the messages of its method. */
export const unary = <Request extends DescMessage, Response extends DescMessage>(
  method: DescMethodUnary<Request, Response>,
  rest: Omit<Operation<MessageShape<Request>, MessageInitShape<Response>>, 'method'>,
): Operation<MessageShape<Request>, MessageInitShape<Response>> => ({ method, ...rest })
