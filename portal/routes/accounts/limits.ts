import type { Router } from 'express'
import { limitsPage } from '../../pages/accounts/studio/limits.ts'
import { routes } from '../../web/routes.ts'
import type { Portal } from '../../web/visit.ts'

export const limits = (portal: Portal): Router =>
  routes(portal).page('GET /limits', async (visit) =>
    limitsPage(visit, (await visit.core.quotas.listLimits({})).limits),
  )
