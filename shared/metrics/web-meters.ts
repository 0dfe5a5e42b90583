import type { IncomingMessage, ServerResponse } from 'node:http'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { latencies } from './latencies.ts'

const methods = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'])

/** Metrics of a web process. Routes are patterns from this code, never the addresses that were requested. */
export function webMeters(name: 'portal' | 'player') {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: `lrs_${name}_requests_total`,
    help: 'Requests by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: `lrs_${name}_request_seconds`,
    help: 'Duration of requests; streams are left out.',
    buckets: latencies,
    labelNames: ['route', 'method'],
    registers,
  })
  const uploaded = new Counter({
    name: `lrs_${name}_uploaded_bytes_total`,
    help: 'Bytes of parts of uploads that were stored.',
    registers: name === 'portal' ? registers : [],
  })
  const open = new Set<ServerResponse>()
  registry.registerMetric(
    new Gauge({
      name: `lrs_${name}_open_requests`,
      help: 'Requests without a complete answer; `stream`: streams of events.',
      labelNames: ['kind'],
      registers: [],
      collect() {
        const streams = [...open].filter(isStream).length
        this.set({ kind: 'page' }, open.size - streams)
        this.set({ kind: 'stream' }, streams)
      },
    }),
  )
  return {
    registry,
    /** Counts this request when it is over. */
    watch(request: IncomingMessage, response: ServerResponse, route: () => string): void {
      const began = performance.now()
      open.add(response)
      response.once('close', () => {
        open.delete(response)
        const method = methods.has(request.method!) ? request.method! : 'other'
        requests.inc({ route: route(), method, status: response.statusCode })
        if (!isStream(response)) seconds.observe({ route: route(), method }, (performance.now() - began) / 1000)
        const isPart = name === 'portal' && method === 'PUT' && response.statusCode === 200
        if (isPart) uploaded.inc(Number(request.headers['content-length'] ?? 0))
      })
    },
  }
}

const isStream = (response: ServerResponse): boolean =>
  String(response.getHeader('content-type')).startsWith('text/event-stream')
