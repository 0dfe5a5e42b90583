import type { Router } from 'express'
import { reportingPage } from '../../pages/games/code/reporting.ts'
import { packagingPage } from '../../pages/games/packaging.ts'
import { wantedIn } from '../../pages/games/play/find.ts'
import { homePage, publishedGamePage } from '../../pages/games/play/published.ts'
import { reportPage } from '../../pages/games/play/report.ts'
import { routes } from '../../web/routes.ts'
import { keepLanguage, languagesOf } from '../../web/say.ts'
import { isSecure, notice, ownPath, refusedLearner, type Portal } from '../../web/visit.ts'
import { gameOf, slugOf } from '../parts/player.ts'

/** Public pages of games, and of what studios need to know before they have one. */
export const published = (portal: Portal): Router =>
  routes(portal)
    .page('GET /', async (visit) => {
      const wanted = wantedIn(visit.query)
      const readLanguages = languagesOf(visit.request, isSecure(visit.at))
      const { games } = await visit.core.games.listPublishedGames({ ...wanted, readLanguages })
      return homePage(visit, games, wanted)
    })
    .page('GET /g/:slug', async (visit) => {
      const done = notice(visit, { reported: visit.say.text('complaint.thanks') })
      return publishedGamePage(visit, await gameOf(visit), done)
    })
    .page('GET /g/:slug/report', async (visit) => reportPage(visit, await gameOf(visit)))
    .page('POST /g/:slug/report', async (visit) => {
      const { core, form, senderIp } = visit
      const slug = slugOf(visit)
      try {
        await core.games.reportGame({ slug, reason: form('reason'), text: form('text'), senderIp })
        return `/g/${slug}?done=reported`
      } catch (error) {
        return reportPage(visit, await gameOf(visit), { failure: refusedLearner(visit, error), values: form })
      }
    })
    .page('POST /language', ({ form, response, at }) => {
      keepLanguage(response, isSecure(at), form('language'))
      return ownPath(form('back'))
    })
    .page('GET /packaging', async (visit) =>
      packagingPage(visit, (await visit.core.uploads.listPackagingRules({})).rules),
    )
    .page('GET /reporting', reportingPage)
