import type { IncomingMessage } from 'node:http'
import type { Answer } from './http/answer.ts'
import type { KnownParameters, ParameterValues } from './http/parameters.ts'
import type { BodyBudget } from './load/body-budget.ts'
import type { Caller } from './core-connection/caller.ts'
import type { Relay } from './core-connection/relay.ts'

/** One request, checked as far as the gateway can. */
export interface RequestContext {
  /** Whom core shall do it for. */
  caller: Caller
  parameters: ParameterValues
  headers: IncomingMessage['headers']
  /** Empty where the action takes none, or reads it itself from `incoming`. */
  body: Buffer
  incoming?: Incoming
  /** HEAD: the body of the answer will not be sent. */
  head: boolean
}

/** A body that is read as it comes. */
export interface Incoming {
  /** Throws a Refusal when it is too large or breaks off. */
  body: AsyncIterable<Buffer>
  budget: BodyBudget
}

/** What bodies an action takes. */
export interface BodyRules {
  /** Bytes. */
  limit: number
  /** Throws a Refusal for headers with which the body need not be read. */
  check(headers: IncomingMessage['headers']): void
  /** Whether the action reads a body with these headers itself; `limit` does not hold then. */
  streams?(headers: IncomingMessage['headers']): boolean
}

/** What a method does on a resource. */
export interface Action {
  parameters: KnownParameters
  body?: BodyRules
  /** Headers of an answer that refuses; `caller` where core can be asked for them. */
  refusalHeaders?(relay: Relay, caller?: Caller): Promise<readonly string[]>
  run(context: RequestContext, relay: Relay): Promise<Answer> | Answer
}

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'

/** A path and what can be done there. HEAD comes with GET, OPTIONS by itself. */
export interface Resource {
  path: string
  /** Needs neither credential nor version. */
  open?: true
  actions: Readonly<Partial<Record<Method, Action>>>
}
