import type { RequestListener } from 'node:http'
import express from 'express'
import type { GatewayContext, Handler } from './context.ts'
import { serveUnknownPath } from './refuse.ts'
import type { Resource } from './resource.ts'
import { about } from './routes/about.ts'
import { activities } from './routes/activities.ts'
import { activityProfile } from './routes/activity-profile.ts'
import { agentProfile } from './routes/agent-profile.ts'
import { agents } from './routes/agents.ts'
import { healthz, readyz } from './routes/health.ts'
import { openApiResources } from './routes/openapi.ts'
import { state } from './routes/state.ts'
import { statements } from './routes/statements.ts'
import { serve } from './serve.ts'
import { traced } from './traced.ts'

/** Finds the handler of each request by its path. */
export function createRouter(gateway: GatewayContext): RequestListener {
  const app = express()
  app
    .disable('x-powered-by')
    .disable('etag')
    .disable('query parser')
    .enable('case sensitive routing')
    .enable('strict routing')
  const described: Resource[] = [
    statements(),
    state(),
    activityProfile(),
    agentProfile(),
    activities(),
    agents(),
    about(),
    healthz(),
    readyz(),
  ]
  const resources = [...described, ...openApiResources(described)]
  const handlers = new Map<string, Handler>()
  for (const resource of resources) {
    const handler = traced(resource, serve(resource, gateway))
    handlers.set(resource.path, handler)
    app.all(resource.path, handler)
  }
  app.use(serveUnknownPath(gateway))
  // a map instead of Express: its search for the route takes half the time of a whole answer
  return (request, response) => {
    const [path = ''] = request.url!.split('?', 1)
    const handler = handlers.get(path) ?? handlers.get(plainPath(path))
    if (handler === undefined) return void app(request, response)
    handler(request, response).catch((error: unknown) => {
      gateway.log.error({ err: error, path }, 'failed')
      response.destroy()
    })
  }
}

/** The path without unnecessary percent-encoding (RFC 3986 6.2.2.2). */
function plainPath(path: string): string {
  return path.replaceAll(/%(?:[46][1-9a-f]|[57][0-9a]|2[de]|3\d|5f|7e)/gi, (encoded) => decodeURIComponent(encoded))
}
