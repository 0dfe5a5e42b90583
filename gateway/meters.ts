import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { latencies } from '../shared/metrics/latencies.ts'
import type { RelayFigures } from './core-connection/relay.ts'

/** Counters of the requests that a gateway answers. Label values come from this code, never from outside. */
export function gatewayMeters() {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'lrs_gateway_requests_total',
    help: 'Requests by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'lrs_gateway_request_seconds',
    help: 'Time from the request until its answer is sent.',
    buckets: latencies,
    labelNames: ['route', 'method'],
    registers,
  })
  const refusals = new Counter({
    name: 'lrs_gateway_refusals_total',
    help: 'Refused requests by reason and by who refused: gateway or core.',
    labelNames: ['reason', 'by'],
    registers,
  })
  const broken = new Counter({
    name: 'lrs_gateway_broken_requests_total',
    help: 'Connections closed because of invalid HTTP.',
    registers,
  })
  return { registry, requests, seconds, refusals, broken }
}

export type GatewayMeters = ReturnType<typeof gatewayMeters>

/** Adds gauges of the connections to core and of the memory that requests and answers use; read at each scrape. */
export function registerGauges(
  registry: Registry,
  relay: () => RelayFigures,
  held: { requests(): number; answers(): number },
): void {
  registry.registerMetric(
    new Gauge({
      name: 'lrs_gateway_relay_calls',
      help: 'Calls that core has not answered yet.',
      registers: [],
      collect() {
        this.set(relay().open)
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'lrs_gateway_cores',
      help: 'Cores by state: connected or away.',
      labelNames: ['state'],
      registers: [],
      collect() {
        this.set({ state: 'connected' }, relay().connected)
        this.set({ state: 'away' }, relay().away)
      },
    }),
  )
  registry.registerMetric(
    new Counter({
      name: 'lrs_gateway_connects_total',
      help: 'Connections to core established since the start.',
      registers: [],
      collect() {
        this.reset()
        this.inc(relay().connects)
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'lrs_gateway_held_bytes',
      help: 'Bytes in memory of request bodies, and of answers that clients are reading.',
      labelNames: ['of'],
      registers: [],
      collect() {
        this.set({ of: 'requests' }, held.requests())
        this.set({ of: 'answers' }, held.answers())
      },
    }),
  )
}
