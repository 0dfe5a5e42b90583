import { Router } from 'express'
import { packagingPage } from '../../pages/games/packaging.ts'
import { page, type Portal } from '../../web/visit.ts'

export const packaging = (portal: Portal): Router =>
  Router().get(
    '/packaging',
    page(portal, async (visit) => packagingPage(visit, (await visit.core.uploads.listPackagingRules({})).rules)),
  )
