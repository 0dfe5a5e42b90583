import type { Router } from 'express'
import { packagingPage } from '../../pages/games/packaging.ts'
import { routes } from '../../web/routes.ts'
import type { Portal } from '../../web/visit.ts'

export const packaging = (portal: Portal): Router =>
  routes(portal).page('GET /packaging', async (visit) =>
    packagingPage(visit, (await visit.core.uploads.listPackagingRules({})).rules),
  )
