import { createContextKey, type HandlerContext } from '@connectrpc/connect'
import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import type { Caller } from '../../records/access/caller.ts'
import type { Note } from '../../accounts/command/audit-entry.ts'
import type { TokenHolder } from '../../accounts/store/personal-tokens.ts'
import type { Person } from '../../accounts/store/studio-sessions.ts'
import type { Declared } from './declaration.ts'
import type { CallName } from './failure.ts'
import type { Operation } from '../../records/calls/operation.ts'

/** One call, from its arrival to its end. */
export interface Call {
  /** Name of the method, for instance `StoreStatements`. */
  readonly method: string
  readonly way: 'relay' | 'rpc'
  /** What its method declares; undefined: a gateway relays it. */
  readonly declared?: Declared
  /** When it arrived: milliseconds of performance.now(). */
  readonly began: number
  readonly requestId?: string
  readonly authorization: string
  /** Network address of the caller; undefined: a gateway says that core has accepted this Authorization before. */
  readonly address?: string
  /** Why its Authorization was refused, if the way in has found that already. */
  readonly refused?: unknown
  /** As in the header X-Experience-API-Version; empty: 1.0.3. */
  readonly version: string
  /** With a service token: the key of the credential on whose behalf the service calls. */
  readonly onBehalf?: string
  /** With a service token: the session of the studio for which the service calls. */
  readonly session?: string
  /** With the service token of the portal: IP address of the browser. */
  readonly sender?: string
  /** Set when the session was found: who calls. */
  person?: Pick<Person, 'accountId' | 'email' | 'studioId'>
  /** With a personal token: whose it is. */
  holder?: TokenHolder
  /** What the audit log says of a stream, whose request it does not see. */
  told?: Pick<Note, 'subject' | 'details'>
  /** Set when a call is identified before it waits. */
  identified?: Promise<Caller>
  /** Set when the call has reached the operation of a game. */
  asked?: Asked
}

/** The operation that a game called, and its request. */
export interface Asked<Request = unknown, Response = unknown> {
  readonly operation: Operation<Request, Response>
  readonly request: Request
  /** Undefined until it is authenticated. */
  caller?: Caller
}

/** How a call ended: with a response, or with an error and the failure that its caller gets. */
export interface Outcome {
  readonly response?: unknown
  readonly error?: unknown
  /** Undefined with an error: the caller has gone. */
  readonly failure?: Failure
}

/** A call of gRPC, gRPC-Web or Connect. */
export const rpcCall = (
  method: string,
  header: Headers,
  { address, refused }: Pick<Call, 'refused'> & { address: string },
  declared?: Declared,
): Call => ({
  method,
  way: 'rpc',
  declared,
  began: performance.now(),
  requestId: header.get('x-request-id') ?? undefined,
  authorization: header.get('authorization') ?? '',
  address,
  refused,
  version: header.get('x-experience-api-version') ?? '',
  onBehalf: header.get('x-lrs-credential') ?? undefined,
  session: header.get('x-lrs-session') ?? undefined,
  sender: header.get('x-lrs-sender') ?? undefined,
})

/** The key under which the outermost interceptor stores the call for handlers. */
export const callKey = createContextKey<Call | undefined>(undefined)

export const callOf = ({ values }: HandlerContext): Call => values.get(callKey)!

/** The properties of a call in the log. */
export const nameOf = ({ requestId, method }: Call): CallName => ({ request: requestId, method })
