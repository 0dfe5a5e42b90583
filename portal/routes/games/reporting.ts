import { Router } from 'express'
import { reportingPage } from '../../pages/games/code/reporting.ts'
import { page, type Portal } from '../../web/visit.ts'

export const reporting = (portal: Portal): Router => Router().get('/reporting', page(portal, reportingPage))
