import type { Attributes } from '@opentelemetry/api'

/** `server`: an incoming request; `client`: an outgoing request; `internal`: work in between. */
export type StepKind = 'server' | 'client' | 'internal'

/** A step of a trace (a span) under way. Values are words and numbers from this code, never texts from outside. */
export interface Step {
  tell(attribute: string, value: string | number): void
  /** Marks it as failed, for this reason. */
  fail(reason: string): void
  /** Links it to another step, by its W3C traceparent. */
  link(traceParent: string): void
}

export interface Beginning {
  readonly kind: StepKind
  readonly attributes?: Attributes
  /** The W3C traceparent of its parent, here or in another process; empty: a new trace. */
  readonly parent?: string
  /** The W3C traceparents of steps to link to. */
  readonly links?: readonly string[]
}

/** What otel.ts does while tracing is on. */
export interface Tracer {
  begin<T>(name: string, beginning: Beginning, work: (step: Step) => Promise<T>): Promise<T>
  within<T>(name: string, kind: StepKind, work: (step?: Step) => Promise<T>, attributes?: Attributes): Promise<T>
  traceParent(): string
}

let tracer: Tracer | undefined

/** Turns tracing on. */
export function traceWith(given: Tracer): void {
  tracer = given
}

/** Whether tracing is on. It is turned on before anything is wired, so wiring asks only once. */
export const isTracing = (): boolean => tracer !== undefined

/** Does the work as the first step of a trace, or as the first step in this process of a trace from elsewhere. */
export function begin<T>(name: string, beginning: Beginning, work: (step?: Step) => Promise<T>): Promise<T> {
  return tracer === undefined ? work() : tracer.begin(name, beginning, work)
}

/** Does the work as a step of the current trace, if there is one. Background work has none. */
export function within<T>(
  name: string,
  kind: StepKind,
  work: (step?: Step) => Promise<T>,
  attributes?: Attributes,
): Promise<T> {
  return tracer === undefined ? work() : tracer.within(name, kind, work, attributes)
}

/** The W3C traceparent of the current step, to be sent along; empty: there is none. */
export const traceParent = (): string => (tracer === undefined ? '' : tracer.traceParent())
