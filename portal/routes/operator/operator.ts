import { Router } from 'express'
import { healthPage, jobsPage, storagePage } from '../../pages/operator/operator-system.ts'
import { operator, type Portal } from '../../web/visit.ts'

/** The state of the service, for those who run it. Core lets in admins only, whatever these pages do. */
export const operatorPages = (portal: Portal): Router =>
  Router()
    .get(
      '/operator',
      operator(portal, async (visit) => {
        const { admin } = visit.core
        const [status, found] = await Promise.all([admin.getStatus({}), admin.check({})])
        return healthPage(visit, status, found)
      }),
    )
    .get(
      '/operator/storage',
      operator(portal, async (visit) => {
        const [storage, status] = await Promise.all([
          visit.core.operator.getStorage({}),
          visit.core.admin.getStatus({}),
        ])
        return storagePage(visit, storage, status)
      }),
    )
    .get(
      '/operator/jobs',
      operator(portal, async (visit) => jobsPage(visit, await visit.core.operator.listJobs({}))),
    )
