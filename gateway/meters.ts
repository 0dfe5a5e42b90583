import { Reason } from '../gen/lrs/v1/failure_pb.js'
import { counter, countOf, gauge, histogram, latencies, type Family } from '../shared/metrics/meter.ts'
import type { Refusal } from './http/failure.ts'
import type { RelayFigures } from './core-connection/relay.ts'

const methods = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'])

/** What a gateway counts of the requests that it answers. */
export function gatewayMeters() {
  const requests = counter('lrs_gateway_requests_total', 'Requests by route, method and status.', 'route', 'method', 'status')
  const seconds = histogram('lrs_gateway_request_seconds', 'Time of requests, until their answer is sent.', latencies, 'route', 'method')
  const refusals = counter('lrs_gateway_refusals_total', 'Refused requests by reason, and by whom: gateway or core.', 'reason', 'by')
  const broken = counter('lrs_gateway_broken_requests_total', 'Connections that sent what is no HTTP.')
  return {
    families: [requests, seconds, refusals, broken] as readonly Family[],
    answered(route: string, asked: string, status: number, ms: number): void {
      const method = methods.has(asked) ? asked : 'other'
      requests.add([route, method, String(status)])
      seconds.observe(ms / 1000, [route, method])
    },
    refused: ({ reason, byCore }: Refusal): void => refusals.add([(Reason[reason] ?? 'other').toLowerCase(), byCore ? 'core' : 'gateway']),
    broken: (): void => broken.add(),
  }
}

export type GatewayMeters = ReturnType<typeof gatewayMeters>

/** What is as it is at the moment, of the way to core and of what is held in memory. */
export function figuresOf(relay: () => RelayFigures, held: { requests(): number; answers(): number }): Family[] {
  return [
    gauge('lrs_gateway_relay_calls', 'Calls that core has not answered yet.', () => relay().open),
    gauge('lrs_gateway_cores', 'Cores by whether they are connected.', () => ({ connected: relay().connected, away: relay().away }), 'state'),
    countOf('lrs_gateway_connects_total', 'Times that a core was reached, the first one included.', () => relay().connects),
    gauge('lrs_gateway_held_bytes', 'Bytes in memory: bodies of requests, answers that are being read.', () => ({ requests: held.requests(), answers: held.answers() }), 'of'),
  ]
}
