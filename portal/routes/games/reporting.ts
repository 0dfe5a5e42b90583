import type { Router } from 'express'
import { reportingPage } from '../../pages/games/code/reporting.ts'
import { routes } from '../../web/routes.ts'
import { page, type Portal } from '../../web/visit.ts'

export const reporting = (portal: Portal): Router => routes(portal).get('/reporting', page(portal, reportingPage))
