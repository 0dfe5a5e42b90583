import type { IncomingMessage } from 'node:http'
import type { Answer } from './http/answer.ts'
import type { KnownParameters, ParameterValues } from './http/head.ts'
import type { HeldBody } from './http/body.ts'
import type { Caller } from './core-connection/caller.ts'
import type { Relay } from './core-connection/relay.ts'

/** One request, as far as the gateway can check it. */
export interface RequestContext {
  caller: Caller
  parameters: ParameterValues
  headers: IncomingMessage['headers']
  /** Empty when the action takes no body, or reads it from `incoming`. */
  body: Buffer
  incoming?: Incoming
  /** The method is HEAD: the body of the answer is not sent. */
  head: boolean
}

/** A body that the action reads while it arrives. */
export interface Incoming {
  /** Throws an HttpRefusal when it is too large or cut off. */
  body: AsyncIterable<Buffer>
  /** Counts what of it stays in memory. */
  held: HeldBody
}

/** The bodies that an action accepts. */
export interface BodyRules {
  /** Largest size in bytes. */
  limit: number
  /** Throws an HttpRefusal if the headers alone show that the body is not acceptable. */
  check(headers: IncomingMessage['headers']): void
  /** Whether the action reads a body with these headers itself; then `limit` does not apply. */
  streams?(headers: IncomingMessage['headers']): boolean
}

/** A method of a resource. */
export interface Action {
  parameters: KnownParameters
  body?: BodyRules
  /** Headers to add to refusals. With `caller`, core can be asked for them. */
  refusalHeaders?(relay: Relay, caller?: Caller): Promise<readonly string[]>
  run(context: RequestContext, relay: Relay): Promise<Answer> | Answer
}

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'

/** A path and its methods. HEAD is added with GET, OPTIONS always. */
export interface Resource {
  path: string
  /** Needs neither credential nor version. */
  open?: true
  actions: Readonly<Partial<Record<Method, Action>>>
}
