import { Reason } from '../gen/lrs/v1/failure_pb.js'
import { inBytes, sizes } from './limits.ts'

interface Row {
  reason: Reason
  /** Code of Connect and gRPC, by its name. */
  rpc: string
  /** HTTP status. */
  status: number
  /** Text of `error` in the JSON body, which the interface document fixes. */
  error?: string
  /** Replaces core's message in HTTP. */
  message?: string
}

/** The one table from the name that core uses for a reason to what callers get, over RPC and HTTP. */
export const reasons = {
  unspecified: { reason: Reason.UNSPECIFIED, rpc: 'internal', status: 500, message: 'Internal error' },
  invalid: { reason: Reason.INVALID, rpc: 'invalid_argument', status: 400 },
  unauthenticated: { reason: Reason.UNAUTHENTICATED, rpc: 'unauthenticated', status: 401 },
  forbidden: { reason: Reason.FORBIDDEN, rpc: 'permission_denied', status: 403 },
  'not-found': { reason: Reason.NOT_FOUND, rpc: 'not_found', status: 404 },
  conflict: { reason: Reason.CONFLICT, rpc: 'aborted', status: 409 },
  'precondition-failed': { reason: Reason.PRECONDITION_FAILED, rpc: 'failed_precondition', status: 412 },
  'too-many-statements': {
    reason: Reason.TOO_MANY_STATEMENTS,
    rpc: 'resource_exhausted',
    status: 413,
    error: `Too many statements in one request: max ${sizes.statementsPerRequest} statements`,
  },
  'too-large': { reason: Reason.TOO_LARGE, rpc: 'resource_exhausted', status: 413, error: 'Request body too large' },
  'rate-limited': { reason: Reason.RATE_LIMITED, rpc: 'resource_exhausted', status: 429, error: 'Rate limit exceeded' },
  unavailable: { reason: Reason.UNAVAILABLE, rpc: 'unavailable', status: 503 },
  internal: { reason: Reason.INTERNAL, rpc: 'internal', status: 500, message: 'Internal error' },
  'quota-exceeded': { reason: Reason.QUOTA_EXCEEDED, rpc: 'resource_exhausted', status: 400 },
  'game-full': {
    reason: Reason.GAME_FULL,
    rpc: 'resource_exhausted',
    status: 507,
    error: 'Storage quota of the game exceeded',
  },
} as const satisfies Record<string, Row>

export type ReasonName = keyof typeof reasons

/** What callers of RPC read; the text over HTTP is fixed. */
export const tooLarge = (most: number): string => `${reasons['too-large'].error}: at most ${inBytes(most)}.`

const rows = new Map<Reason, Row>(Object.values(reasons).map((row) => [row.reason, row]))

const names = new Map(Object.entries(reasons).map(([name, { reason }]) => [reason, name as ReasonName]))

export const reasonName = (reason: Reason): ReasonName => names.get(reason) ?? 'unspecified'

/** A reason that only a newer core knows counts as not set. */
export const rowOf = (reason: Reason): Row => rows.get(reason) ?? reasons.unspecified
