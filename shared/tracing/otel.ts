import { AsyncLocalStorage } from 'node:async_hooks'
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
  type SpanContext,
  type Tracer as OtelTracer,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type ReadableSpan,
  type Sampler,
} from '@opentelemetry/sdk-trace'
import type { TracingSettings } from '../settings/tracing-settings.ts'
import type { Step, StepKind, Tracer } from './trace.ts'
import { traceWith } from './trace.ts'

const kinds: Record<StepKind, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
}
const samplers: Record<TracingSettings['sampler'], (ratio: number) => Sampler> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
}
const closeMs = 2_000
const complainMs = 60_000

/**
 * Turns tracing on: spans go to the collector of the OTEL_ settings. Loaded only where those are set. Spans that the
 * collector does not take are dropped; at most 2,048 wait for it.
 */
export function startTracing(
  service: string,
  { sampler, ratio, everyMs }: TracingSettings,
  complain: (line: string) => void,
): { close(): Promise<void> } {
  // the libraries read the endpoint, headers, certificates and time-out; envDetector adds the resource attributes
  const resource = resourceFromAttributes({ 'service.name': service }).merge(
    detectResources({ detectors: [envDetector] }),
  )
  const exporter = complaining(new OTLPTraceExporter(), complain)
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: everyMs, exportTimeoutMillis: 10_000 })
  const provider = new TracerProvider({ resource, sampler: samplers[sampler](ratio), spanProcessors: [processor] })
  traceWith(tracerOf(provider.getTracer('games-lrs')))
  return {
    // a collector that does not answer may not delay the end of the process
    close: () =>
      Promise.race([
        provider.shutdown().catch(() => undefined),
        new Promise<void>((done) => void setTimeout(done, closeMs).unref()),
      ]),
  }
}

function tracerOf(otel: OtelTracer): Tracer {
  const current = new AsyncLocalStorage<Span>()

  async function run<T>(span: Span, work: (step: Step) => Promise<T>): Promise<T> {
    try {
      return await current.run(span, () => work(stepOf(span)))
    } catch (error) {
      const { word, expected } = reasonOf(error)
      span.setAttribute('error.type', word)
      if (!expected) span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }

  return {
    begin(name, { kind, attributes, parent = '', links = [] }, work) {
      const above = contextIn(parent)
      const context = above === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, above)
      const linked = links.flatMap((link) => contextIn(link) ?? []).map((context) => ({ context }))
      return run(otel.startSpan(name, { kind: kinds[kind], attributes, links: linked }, context), work)
    },
    within(name, kind, work, attributes?: Attributes) {
      const above = current.getStore()
      // there is no span, or it has ended, or it is not sampled
      if (above === undefined || !above.isRecording()) return work()
      return run(otel.startSpan(name, { kind: kinds[kind], attributes }, trace.setSpan(ROOT_CONTEXT, above)), work)
    },
    traceParent() {
      const span = current.getStore()
      if (span === undefined) return ''
      const { traceId, spanId, traceFlags } = span.spanContext()
      return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
    },
  }
}

const stepOf = (span: Span): Step => ({
  tell: (attribute, value) => void span.setAttribute(attribute, value),
  fail(reason) {
    span.setAttribute('error.type', reason)
    span.setStatus({ code: SpanStatusCode.ERROR })
  },
  link(traceParent) {
    const context = contextIn(traceParent)
    if (context) span.addLink({ context })
  },
})

/** Reads a traceparent (W3C Trace Context); undefined: it is not valid. */
function contextIn(traceParent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/.exec(traceParent) ?? []
  if (traceId === undefined) return undefined
  return { traceId, spanId: spanId!, traceFlags: Number.parseInt(flags!, 16) & 1, isRemote: true }
}

/** A word for an error, because messages may hold texts from clients. `expected`: the request was at fault. */
function reasonOf(error: unknown): { word: string; expected: boolean } {
  const { name, reason, status, code } = error as { name?: unknown; reason?: unknown; status?: unknown; code?: unknown }
  const words = [
    typeof reason === 'string' ? reason : undefined,
    typeof status === 'number' ? status : undefined,
    code,
    name,
  ]
  const word = words.map(String).find((word) => word !== 'undefined' && /^[\w-]{1,40}$/.test(word)) ?? 'Error'
  const ours = reason === 'unavailable' || (typeof status === 'number' && status >= 500)
  // code 3 of Connect is invalid_argument: the request breaks the contract
  return {
    word,
    expected:
      name === 'Problem' ||
      ((name === 'Refusal' || name === 'HttpRefusal') && !ours) ||
      (name === 'ConnectError' && code === 3),
  }
}

/** Logs at most once a minute that the collector does not accept spans. */
function complaining(exporter: OTLPTraceExporter, complain: (line: string) => void): OTLPTraceExporter {
  let told = -Infinity
  const send = exporter.export.bind(exporter)
  exporter.export = (spans: ReadableSpan[], done) =>
    send(spans, (result) => {
      if (result.error !== undefined && performance.now() - told > complainMs) {
        told = performance.now()
        complain('Traces cannot be sent: the collector of OTEL_EXPORTER_OTLP_ENDPOINT does not take them.')
      }
      done(result)
    })
  return exporter
}
