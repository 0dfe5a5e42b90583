import type { Router } from 'express'
import { forwardsPage } from '../../pages/connections/operator-forwards.ts'
import { routes } from '../../web/routes.ts'
import type { Portal } from '../../web/visit.ts'

/** The forwards of all studios, for those who run the service. */
export const operatorForwards = (portal: Portal): Router =>
  routes(portal).operator('GET /operator/forwards', async (visit) =>
    forwardsPage(visit, await visit.core.operator.findForwards({ find: visit.query('find') })),
  )
