import type { Router } from 'express'
import { reportingPage } from '../../pages/games/code/reporting.ts'
import { packagingPage } from '../../pages/games/packaging.ts'
import { homePage, publishedGamePage } from '../../pages/games/play/published.ts'
import { routes } from '../../web/routes.ts'
import { keepLanguage } from '../../web/say.ts'
import { isSecure, ownPath, type Portal } from '../../web/visit.ts'

/** Public pages of games, and of what studios need to know before they have one. */
export const published = (portal: Portal): Router =>
  routes(portal)
    .page('GET /', async (visit) => homePage(visit, (await visit.core.games.listPublishedGames({})).games))
    .page('GET /g/:slug', async (visit) =>
      publishedGamePage(visit, await visit.core.games.getPublishedGame({ slug: String(visit.request.params['slug']) })),
    )
    .page('POST /language', ({ form, response, at }) => {
      keepLanguage(response, isSecure(at), form('language'))
      return ownPath(form('back'))
    })
    .page('GET /packaging', async (visit) =>
      packagingPage(visit, (await visit.core.uploads.listPackagingRules({})).rules),
    )
    .page('GET /reporting', reportingPage)
