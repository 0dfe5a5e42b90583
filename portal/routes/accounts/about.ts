import type { Router } from 'express'
import { imprintPage, privacyPage } from '../../pages/accounts/about.ts'
import { routes } from '../../web/routes.ts'
import { isAtSchool, type Portal } from '../../web/visit.ts'

/** Who runs the service, and what it keeps of people. */
export const about = (portal: Portal): Router =>
  routes(portal)
    .page('GET /imprint', (visit) => imprintPage(visit, portal.config))
    .page('GET /privacy', async (visit) => {
      const isMember = isAtSchool(visit) && !visit.account!.waits && !visit.account!.needsSecondFactor
      const { rule } = isMember ? await visit.core.parentConsents.getConsentRule({}) : {}
      return privacyPage(visit, portal.config, rule)
    })
