import type { Interceptor } from '@connectrpc/connect'
import { begin, isTracing } from '../../shared/tracing/trace.ts'
import type { Authentication } from '../context.ts'

/**
 * Traces each call if tracing is on; streams until their first answer. The trace continues that of our own services
 * (`traceparent`). Traces of other callers become links.
 */
export function traced({ services }: Authentication): Interceptor[] {
  if (!isTracing()) return []
  return [
    (next) => (request) => {
      const given = request.header.get('traceparent') ?? ''
      const isOurs = services.roleOf(request.header.get('authorization') ?? '') !== undefined
      return begin(request.method.name, { kind: 'server', ...(isOurs ? { parent: given } : { links: [given] }) }, () =>
        next(request),
      )
    },
  ]
}
