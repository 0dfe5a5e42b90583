import { Router } from 'express'
import { limitsPage } from '../../pages/accounts/studio/limits.ts'
import { page, type Portal } from '../../web/visit.ts'

export const limits = (portal: Portal): Router =>
  Router().get(
    '/limits',
    page(portal, async (visit) => limitsPage(visit, (await visit.core.quotas.listLimits({})).limits)),
  )
