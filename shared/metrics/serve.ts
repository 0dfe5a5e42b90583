import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collectDefaultMetrics, Registry } from 'prom-client'

export interface MetricsServer {
  readonly port: number
  close(): void
}

/**
 * Serves the given metrics and those of the Node process at `GET /metrics`, in Prometheus' text format, on a port of
 * its own. Rejects with EADDRINUSE when the port is taken.
 */
export async function serveMetrics(
  metrics: Registry,
  { host, port }: { host: string; port: number },
): Promise<MetricsServer> {
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  const registry = Registry.merge([metrics, ofProcess])
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET')
      return void response.writeHead(404).end('Only GET /metrics is served here.\n')
    registry.metrics().then(
      (text) =>
        response.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' }).end(text),
      () => response.writeHead(500).end('The metrics cannot be read right now.\n'),
    )
  })
  server.maxConnections = 20
  server.listen(port, host)
  await once(server, 'listening')
  server.unref()
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}
