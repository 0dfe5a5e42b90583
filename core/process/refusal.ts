import type { Subject } from '../../gen/lrs/v1/failure_pb.js'
import type { NameIn } from './methods/enums.ts'
import type { ReasonName } from '../../shared/reasons.ts'
import { said, type Said, type Words } from '../../shared/say.ts'

/** Why core refuses a call. */
export type RefusalReason = Exclude<ReasonName, 'unspecified' | 'invalid' | 'internal'>

/** The subject of a refusal, for programs that help their user with it: the contract's enum Subject. */
export type RefusalSubject = NameIn<typeof Subject>

interface RefusalOptions extends ErrorOptions {
  readonly one?: boolean
  readonly away?: boolean
  readonly rule?: string
  readonly path?: string
  readonly subject?: RefusalSubject
  readonly holds?: number
}

/** A refusal that the caller can understand. Input that breaks a rule is a Problem (core/process/problem.ts) instead. */
class CallRefusal extends Error {
  readonly reason: RefusalReason
  /** It concerns one request of a group that was stored together; the others may succeed by themselves. */
  readonly one: boolean
  /** The database does not answer, so waiting calls would fail as well. */
  readonly away: boolean
  /** Names the rule in links to the public pages, such as `limits#storage`. */
  readonly rule: string
  /** Name of the parameter; empty: none. */
  readonly path: string
  readonly subject: RefusalSubject | undefined
  /** Milliseconds for which the same request would be refused again; 0: unknown. */
  readonly holds: number
  /** The message, and what may be kept of it. */
  readonly said: Said

  constructor(reason: RefusalReason, message: string | Said, options: RefusalOptions = {}) {
    super(said(message).text, options)
    this.name = 'Refusal'
    this.reason = reason
    this.one = options.one ?? false
    this.away = options.away ?? false
    this.rule = options.rule ?? ''
    this.path = options.path ?? ''
    this.subject = options.subject
    this.holds = options.holds ?? 0
    this.said = said(message)
  }
}

export type Refusal = CallRefusal
/** Its message has to be in the code, or to say which values in it came from outside. */
export const Refusal: {
  readonly prototype: Refusal
  new (reason: RefusalReason, message: Said, options?: RefusalOptions): Refusal
  new <T extends string>(reason: RefusalReason, message: Words<T>, options?: RefusalOptions): Refusal
} = CallRefusal

/** A request of a game that was refused, for its studio to see. */
export interface RefusedRequest {
  /** As in HTTP, without parameters: `POST /xapi/statements`. */
  readonly request: string
  /** As in HTTP. */
  readonly status: number
  /** For instance `INVALID` or `RATE_LIMITED`: the name in the contract's enum Reason. */
  readonly reason: string
  /** Path of the value in the input; empty: none. */
  readonly path: string
  readonly message: string
}

/** Whether every other request to the store would fail now in the same way; a later try may succeed. */
export const concernsAll = (error: unknown): boolean =>
  error instanceof Refusal && error.reason === 'unavailable' && !error.one

/** Whether the database did not answer. */
export const isAway = (error: unknown): boolean => error instanceof Refusal && error.away
