import { Code, ConnectError } from '@connectrpc/connect'
import { Router } from 'express'
import { HealthCheckResponse_ServingStatus as ServingStatus } from '../../gen/grpc/health/v1/health_pb.js'
import type { CoreClient } from './core-client.ts'

export function health(core: CoreClient): Router {
  return Router()
    .get('/healthz', (_request, response) => void response.json({ status: 'ok' }))
    .get('/readyz', async (_request, response) => {
      const reason = await core.health
        .check({})
        .then(
          ({ status }) => (status === ServingStatus.SERVING ? undefined : 'the database does not answer'),
          troubleOf,
        )
      if (reason === undefined) response.json({ status: 'ok' })
      else response.status(503).json({ status: 'unavailable', reason })
    })
}

function troubleOf(error: unknown): string {
  if (ConnectError.from(error).code !== Code.Unauthenticated) return 'core is not reached'
  return (
    'core refuses the service token of this portal: ' +
    'LRS_SERVICE_TOKEN has to be the one that LRS_SERVICE_TOKENS of core has for portal'
  )
}
