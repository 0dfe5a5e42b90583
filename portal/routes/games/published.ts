import type { Router } from 'express'
import { homePage, publishedGamePage } from '../../pages/games/play/published.ts'
import { routes } from '../../web/routes.ts'
import type { Portal } from '../../web/visit.ts'

/** Public pages of games. */
export const published = (portal: Portal): Router =>
  routes(portal)
    .page('GET /', async (visit) => homePage(visit, (await visit.core.games.listPublishedGames({})).games))
    .page('GET /g/:slug', async (visit) =>
      publishedGamePage(visit, await visit.core.games.getPublishedGame({ slug: String(visit.request.params['slug']) })),
    )
