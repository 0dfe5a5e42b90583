import { Router } from 'express'
import { packagingPage } from '../pages/studio/packaging.ts'
import { page, type Portal } from '../visit.ts'

export const packaging = (portal: Portal): Router =>
  Router().get(
    '/packaging',
    page(portal, async (visit) => packagingPage(visit, (await visit.core.uploads.listPackagingRules({})).rules)),
  )
