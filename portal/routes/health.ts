import { Router } from 'express'
import { HealthCheckResponse_ServingStatus as ServingStatus } from '../../gen/grpc/health/v1/health_pb.js'
import type { CoreClient } from '../core-client.ts'

export function health(core: CoreClient): Router {
  return Router()
    .get('/healthz', (_request, response) => void response.json({ status: 'ok' }))
    .get('/readyz', async (_request, response) => {
      const serving = await core.health.check({}).then(({ status }) => status === ServingStatus.SERVING, () => undefined)
      if (serving) response.json({ status: 'ok' })
      else response.status(503).json({ status: 'unavailable', reason: serving === false ? 'the database does not answer' : 'core is not reached' })
    })
}
