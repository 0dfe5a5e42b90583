import type { Logger } from 'pino'
import type { Relay } from './core-connection/relay.ts'
import type { Compress } from './http/compression.ts'
import type { AuthenticatedCallers } from './load/authenticated-callers.ts'
import type { BodyBudget } from './load/body-budget.ts'
import type { DownloadBudget } from './load/download-budget.ts'
import type { GatewayMeters } from './meters.ts'

/** What the handlers of one gateway share. */
export interface GatewayContext {
  relay: Relay
  log: Logger
  meters: GatewayMeters
  budget: BodyBudget
  downloads: DownloadBudget
  authenticated: AuthenticatedCallers
  compress: Compress
  /** Bytes of a request whose body is read as it comes. */
  streamMaxBytes: number
  defaultVersion: string
  /** Whether a POST of a form may stand for another request (xAPI 1.0.3 Communication 1.3). */
  alternateSyntax: boolean
  /** Answers end their connection. */
  closing: boolean
}
