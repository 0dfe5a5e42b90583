import { Router } from 'express'
import { coreTrouble } from '../../shared/core-agent.ts'
import type { CoreClient } from './core-client.ts'

export function health(core: CoreClient): Router {
  return Router()
    .get('/healthz', (_request, response) => void response.json({ status: 'ok' }))
    .get('/readyz', async (_request, response) => {
      const reason = await coreTrouble(core.health, 'portal')
      if (reason === undefined) response.json({ status: 'ok' })
      else response.status(503).json({ status: 'unavailable', reason })
    })
}
