import type { IncomingMessage } from 'node:http'
import type { Answer } from './http/answer.ts'
import type { Known, Values } from './http/parameters.ts'
import type { Budget } from './http/body.ts'
import type { Caller } from './core-connection/caller.ts'
import type { Relay } from './core-connection/relay.ts'

/** One request, checked as far as the gateway can. */
export interface Inquiry {
  /** Whom core shall do it for. */
  caller: Caller
  parameters: Values
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
  budget: Budget
}

/** What a method does on a resource. */
export interface Action {
  parameters: Known
  body?: {
    /** Bytes. */
    limit: number
    /** Throws a Refusal for headers with which the body need not be read. */
    check(headers: IncomingMessage['headers']): void
    /** Whether the action reads a body with these headers itself; `limit` does not hold then. */
    streams?(headers: IncomingMessage['headers']): boolean
  }
  /** Headers of an answer that refuses; `caller` where core can be asked for them. */
  always?(relay: Relay, caller?: Caller): Promise<readonly string[]>
  run(inquiry: Inquiry, relay: Relay): Promise<Answer> | Answer
}

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'

/** A path and what can be done there. HEAD comes with GET, OPTIONS by itself. */
export interface Resource {
  path: string
  /** Needs neither credential nor version. */
  open?: true
  actions: Readonly<Partial<Record<Method, Action>>>
}
