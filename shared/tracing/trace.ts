import type { Attributes } from '@opentelemetry/api'

/** `server`: a request that comes in; `client`: one of ours that goes out; `internal`: what we do in between. */
export type StepKind = 'server' | 'client' | 'internal'

/** A step of a trace while it is under way. Values are words and numbers of ours, never texts from outside. */
export interface Step {
  tell(attribute: string, value: string | number): void
  /** It has failed, for this reason. */
  fail(reason: string): void
  /** Names another step that it belongs with, as a W3C traceparent. */
  link(traceParent: string): void
}

export interface Beginning {
  readonly kind: StepKind
  readonly attributes?: Attributes
  /** The W3C traceparent of the step that it is a part of, here or in another process; empty: a trace of its own. */
  readonly parent?: string
  /** Those of steps that it belongs with. */
  readonly links?: readonly string[]
}

/** What otel.ts does when traces are wanted. */
export interface Tracer {
  begin<T>(name: string, beginning: Beginning, work: (step: Step) => Promise<T>): Promise<T>
  within<T>(name: string, kind: StepKind, work: (step?: Step) => Promise<T>, attributes?: Attributes): Promise<T>
  traceParent(): string
}

let tracer: Tracer | undefined

/** From here on traces are made. */
export function traceWith(given: Tracer): void {
  tracer = given
}

/** Whether traces are made: settled before anything is wired, so who asks while wiring need not ask again. */
export const isTracing = (): boolean => tracer !== undefined

/** Does the work as the first step of a trace, or as the first one here of a trace that comes from elsewhere. */
export function begin<T>(name: string, beginning: Beginning, work: (step?: Step) => Promise<T>): Promise<T> {
  return tracer === undefined ? work() : tracer.begin(name, beginning, work)
}

/** Does the work as a step of the trace that is under way, if there is one: what goes on in the background makes none. */
export function within<T>(
  name: string,
  kind: StepKind,
  work: (step?: Step) => Promise<T>,
  attributes?: Attributes,
): Promise<T> {
  return tracer === undefined ? work() : tracer.within(name, kind, work, attributes)
}

/** The W3C traceparent of the step that is under way, to be sent along; empty: there is none. */
export const traceParent = (): string => (tracer === undefined ? '' : tracer.traceParent())
