import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Caller } from './core-connection/caller.ts'
import type { Relay } from './core-connection/relay.ts'
import type { EffectiveRequest } from './http/alternate-request.ts'
import type { Compress } from './http/answer.ts'
import type { Drain } from './http/drain.ts'
import type { HttpRefusal } from './http/failure.ts'
import type { BodyBudget, HeldBody } from './http/body.ts'
import type { Callers } from './load/callers.ts'
import type { DownloadBudget } from './load/download-budget.ts'
import type { GatewayMeters } from './meters.ts'
import type { Action } from './resource.ts'

/** The state that all handlers of a gateway share. */
export interface GatewayContext {
  relay: Relay
  log: Logger
  meters: GatewayMeters
  budget: BodyBudget
  downloads: DownloadBudget
  /** Of the unwanted bodies of strangers, and of callers whom core has accepted. */
  drains: { readonly strangers: Drain; readonly accepted: Drain }
  callers: Callers
  compress: Compress
  /** Largest size in bytes of a request whose body is streamed. */
  streamMaxBytes: number
  defaultVersion: string
  /** Whether the form of a POST may contain another request (xAPI 1.0.3 Communication 1.3). */
  alternateSyntax: boolean
  /** Number of trusted proxies in front, whose X-Forwarded-For counts. */
  trustProxy: number
  /** The gateway is stopping: each answer ends its connection. */
  closing: boolean
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** One request on its way through the stages of serve.ts: what its answer and ended.ts need. */
export interface Exchange {
  /** When it arrived: milliseconds of performance.now(). */
  readonly began: number
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  effective: EffectiveRequest
  action: Action | undefined
  /** Undefined until credential and version are checked. */
  caller: Caller | undefined
  /** Why the request is refused. */
  refusal: HttpRefusal | undefined
  /** The body, which counts in the budget until the answer is ready. */
  body: HeldBody | undefined
}
