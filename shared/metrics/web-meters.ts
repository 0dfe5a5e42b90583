import type { IncomingMessage, ServerResponse } from 'node:http'
import { counter, gauge, histogram, latencies, type Family } from './meter.ts'

const methods = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'])

/** What a web process counts. Routes are patterns of ours, never addresses as they were asked for. */
export function webMeters(name: 'portal' | 'player') {
  const requests = counter(
    `lrs_${name}_requests_total`,
    'Requests by route, method and status.',
    'route',
    'method',
    'status',
  )
  const seconds = histogram(
    `lrs_${name}_request_seconds`,
    'Time of requests, but of streams.',
    latencies,
    'route',
    'method',
  )
  const uploaded = counter(`lrs_${name}_uploaded_bytes_total`, 'Bytes of parts of uploads that were kept.')
  const open = new Set<ServerResponse>()
  const families: Family[] = [
    requests,
    seconds,
    ...(name === 'portal' ? [uploaded] : []),
    gauge(
      `lrs_${name}_open_requests`,
      'Requests without a whole answer; `stream`: viewers of events that go on.',
      () => {
        const streams = [...open].filter(isStream).length
        return { page: open.size - streams, stream: streams }
      },
      'kind',
    ),
  ]
  return {
    families: families as readonly Family[],
    /** Counts this request when it is over. */
    watch(request: IncomingMessage, response: ServerResponse, route: () => string): void {
      const began = performance.now()
      open.add(response)
      response.once('close', () => {
        open.delete(response)
        const method = methods.has(request.method!) ? request.method! : 'other'
        requests.add([route(), method, String(response.statusCode)])
        if (!isStream(response)) seconds.observe((performance.now() - began) / 1000, [route(), method])
        const isPart = name === 'portal' && method === 'PUT' && response.statusCode === 200
        if (isPart) uploaded.add([], Number(request.headers['content-length'] ?? 0))
      })
    },
  }
}

const isStream = (response: ServerResponse): boolean =>
  String(response.getHeader('content-type')).startsWith('text/event-stream')
