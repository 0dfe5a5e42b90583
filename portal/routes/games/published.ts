import { Router } from 'express'
import { homePage, publishedGamePage } from '../../pages/games/play/published.ts'
import { page, type Portal } from '../../web/visit.ts'

/** Public pages of games. */
export const published = (portal: Portal): Router =>
  Router()
    .get(
      '/',
      page(portal, async (visit) => homePage(visit, (await visit.core.games.listPublishedGames({})).games)),
    )
    .get(
      '/g/:slug',
      page(portal, async (visit) =>
        publishedGamePage(
          visit,
          await visit.core.games.getPublishedGame({ slug: String(visit.request.params['slug']) }),
        ),
      ),
    )
