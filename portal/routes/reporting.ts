import { Router } from 'express'
import { reportingPage } from '../pages/game/reporting.ts'
import { page, type Portal } from '../visit.ts'

export const reporting = (portal: Portal): Router => Router().get('/reporting', page(portal, reportingPage))
