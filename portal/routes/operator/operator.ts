import type { Router } from 'express'
import { healthPage, jobsPage, storagePage } from '../../pages/operator/operator-system.ts'
import { routes } from '../../web/routes.ts'
import type { Portal } from '../../web/visit.ts'

/** The state of the service, for those who run it. Core lets in admins only, whatever these pages do. */
export const operatorPages = (portal: Portal): Router =>
  routes(portal)
    .operator('GET /operator', async (visit) => {
      const { admin } = visit.core
      const [status, found] = await Promise.all([admin.getStatus({}), admin.check({})])
      return healthPage(visit, status, found)
    })
    .operator('GET /operator/storage', async (visit) => {
      const [storage, status] = await Promise.all([visit.core.operator.getStorage({}), visit.core.admin.getStatus({})])
      return storagePage(visit, storage, status)
    })
    .operator('GET /operator/jobs', async (visit) => jobsPage(visit, await visit.core.operator.listJobs({})))
