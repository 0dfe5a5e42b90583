import { Reason } from '../gen/lrs/v1/failure_pb.js'
import { counter, countOf, gauge, histogram, latencies, type Family } from '../shared/metrics/meter.ts'
import type { HttpRefusal } from './http/failure.ts'
import type { RelayFigures } from './core-connection/relay.ts'

const methods = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'])

/** Counters of the requests that a gateway answers. */
export function gatewayMeters() {
  const requests = counter(
    'lrs_gateway_requests_total',
    'Requests by route, method and status.',
    'route',
    'method',
    'status',
  )
  const seconds = histogram(
    'lrs_gateway_request_seconds',
    'Time from the request until its answer is sent.',
    latencies,
    'route',
    'method',
  )
  const refusals = counter(
    'lrs_gateway_refusals_total',
    'Refused requests by reason and by who refused: gateway or core.',
    'reason',
    'by',
  )
  const broken = counter('lrs_gateway_broken_requests_total', 'Connections closed because of invalid HTTP.')
  return {
    families: [requests, seconds, refusals, broken] as readonly Family[],
    answered(route: string, asked: string, status: number, ms: number): void {
      const method = methods.has(asked) ? asked : 'other'
      requests.add([route, method, String(status)])
      seconds.observe(ms / 1000, [route, method])
    },
    refused: ({ reason, byCore }: HttpRefusal): void =>
      refusals.add([(Reason[reason] ?? 'other').toLowerCase(), byCore ? 'core' : 'gateway']),
    broken: (): void => broken.add(),
  }
}

export type GatewayMeters = ReturnType<typeof gatewayMeters>

/** Gauges of the connections to core and of the memory that requests and answers use. */
export function figuresOf(relay: () => RelayFigures, held: { requests(): number; answers(): number }): Family[] {
  return [
    gauge('lrs_gateway_relay_calls', 'Calls that core has not answered yet.', () => relay().open),
    gauge(
      'lrs_gateway_cores',
      'Cores by state: connected or away.',
      () => ({ connected: relay().connected, away: relay().away }),
      'state',
    ),
    countOf('lrs_gateway_connects_total', 'Connections to core established since the start.', () => relay().connects),
    gauge(
      'lrs_gateway_held_bytes',
      'Bytes in memory of request bodies, and of answers that clients are reading.',
      () => ({ requests: held.requests(), answers: held.answers() }),
      'of',
    ),
  ]
}
