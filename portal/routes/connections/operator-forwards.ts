import { Router } from 'express'
import { forwardsPage } from '../../pages/connections/operator-forwards.ts'
import { operator, type Portal } from '../../web/visit.ts'

/** The forwards of all studios, for those who run the service. */
export const operatorForwards = (portal: Portal): Router =>
  Router().get(
    '/operator/forwards',
    operator(portal, async (visit) =>
      forwardsPage(visit, await visit.core.operator.findForwards({ find: visit.query('find') })),
    ),
  )
