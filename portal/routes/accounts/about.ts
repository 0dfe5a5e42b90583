import type { Router } from 'express'
import { imprintPage, privacyPage } from '../../pages/accounts/about.ts'
import { routes } from '../../web/routes.ts'
import type { Portal } from '../../web/visit.ts'

/** Who runs the service, and what it keeps of people. */
export const about = (portal: Portal): Router =>
  routes(portal)
    .page('GET /imprint', (visit) => imprintPage(visit, portal.config))
    .page('GET /privacy', (visit) => privacyPage(visit, portal.config))
