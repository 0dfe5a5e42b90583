import { begin, isTracing } from '../shared/tracing/trace.ts'
import type { Resource } from './resource.ts'
import type { Handler } from './context.ts'

const methods = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'])

/**
 * The handler, with a trace for each request if tracing is on. Clients are not trusted: their `traceparent` becomes a
 * link in our trace, but determines neither its id nor the sampling.
 */
export function traced({ path, open }: Resource, handler: Handler): Handler {
  if (!isTracing() || open) return handler
  return (request, response) => {
    const method = methods.has(request.method!) ? request.method! : '_OTHER'
    const { traceparent } = request.headers
    const links = typeof traceparent === 'string' ? [traceparent] : []
    const attributes = { 'http.request.method': method, 'http.route': path }
    return begin(`${method} ${path}`, { kind: 'server', attributes, links }, async (step) => {
      await handler(request, response)
      step?.tell('http.response.status_code', response.statusCode)
      if (response.statusCode >= 500) step?.fail(String(response.statusCode))
    })
  }
}
