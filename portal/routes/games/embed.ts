/*
 * A game in a frame of another site. Browsers block or partition cookies in such a frame, so none is used: the
 * session's secret is in the forms of the page, and in the sessionStorage of its tab (embed.js). These are the only
 * pages that other sites may show in a frame. They read no account.
 */
import type { Router } from 'express'
import type { GetPublishedGameResponse } from '../../../gen/lrs/v1/games_pb.js'
import { failureIn, statusOf, toLearner } from '../../web/failure.ts'
import type { Html } from '../../web/html.ts'
import { packagePath } from '../../pages/parts/media.ts'
import { downloadedPage, embedFailurePage } from '../../pages/games/play/embed.ts'
import { endPage } from '../../pages/games/play/end.ts'
import { entrancePage, gamePlayPage } from '../../pages/games/play/play.ts'
import { embedWays } from '../../pages/games/play/ways.ts'
import { allowParents } from '../../web/security-headers.ts'
import { routes } from '../../web/routes.ts'
import { refusedLearner, type Form, type Portal, type Visit } from '../../web/visit.ts'
import { launchBy } from './play.ts'
import { gameOf, slugOf } from '../parts/player.ts'
import { resultOf, tellResult } from './session-results.ts'

export const embed = (portal: Portal): Router =>
  routes(portal)
    .page(
      'GET /embed/:slug',
      framed(portal, (visit, game) => entrance(visit, game, visit.query)),
    )
    .page(
      'POST /embed/:slug',
      framed(portal, async (visit, game) => {
        const { core, form, senderIp } = visit
        try {
          const { launch } = await core.launches.startPlay({
            slug: slugOf(visit),
            senderIp,
            invitation: form('invitation'),
            learnerName: form('learner_name'),
            consent: form('consent'),
          })
          return gamePlayPage(visit, game, launch!, waysOf(visit))
        } catch (error) {
          return entrance(visit, game, form, { failure: refusedLearner(visit, error) })
        }
      }),
    )
    .page(
      'POST /embed/:slug/game',
      framed(portal, async (visit, game) => {
        const launch = await launchBy(visit, game, visit.form('session'))
        if (launch) return gamePlayPage(visit, game, launch, waysOf(visit))
        return entrance(visit, game, visit.form, { over: true })
      }),
    )
    .page(
      'POST /embed/:slug/end',
      framed(portal, async (visit, game) => {
        const sessionSecret = visit.form('session')
        if (sessionSecret !== '') await visit.core.launches.endLaunch({ sessionSecret })
        const result = await resultOf(visit, game, sessionSecret)
        return endPage(visit, game, { result, known: undefined, ways: waysOf(visit) })
      }),
    )
    .page('POST /embed/:slug/result', (visit) => tellResult(visit, visit.form('session')))

const waysOf = (visit: Visit) => embedWays(slugOf(visit), visit.query('invitation'))

async function entrance(
  visit: Visit,
  game: GetPublishedGameResponse,
  values: Form,
  { failure, over = false }: { failure?: ReturnType<typeof refusedLearner>; over?: boolean } = {},
): Promise<Html> {
  const code = visit.query('invitation')
  const found = code === '' ? undefined : await visit.core.launches.getInvitation({ slug: slugOf(visit), code })
  return entrancePage(visit, game, {
    failure,
    values,
    invited: found && { code, name: found.learnerName, agreed: found.agreed },
    embedded: { over },
  })
}

/** A page that the sites of the studio's list may show in a frame. Errors are shown there, too. */
const framed =
  (portal: Portal, handler: (visit: Visit, game: GetPublishedGameResponse) => Promise<Html>) =>
  async (visited: Visit): Promise<Html> => {
    const visit = { ...visited, account: undefined }
    const { request, response } = visit
    const game = await gameOf(visit)
    const { embed = [], isolated = false } = game.player ?? {}
    allowParents(response, embed, isolated)
    response.set('Cache-Control', 'no-store')
    try {
      if (packagePath(visit, game.build!) !== undefined) return downloadedPage(visit, game)
      return await handler(visit, game)
    } catch (error) {
      const failure = failureIn(error)
      const status = statusOf(failure)
      if (status >= 500) portal.log.error({ err: error, path: request.path }, 'a page failed')
      response.status(status)
      return embedFailurePage(visit, game, toLearner(visit.say, failure), waysOf(visit))
    }
  }
