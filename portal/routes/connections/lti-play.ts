import type { Router } from 'express'
import type { GetPublishedGameResponse } from '../../../gen/lrs/v1/games_pb.js'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { notedPage, resumePage } from '../../pages/connections/lti/begin.ts'
import { endPage } from '../../pages/games/play/end.ts'
import { gamePlayPage } from '../../pages/games/play/play.ts'
import { platformWays } from '../../pages/games/play/ways.ts'
import { failureIn } from '../../web/failure.ts'
import type { Html } from '../../web/html.ts'
import { routes } from '../../web/routes.ts'
import { allowParents } from '../../web/security-headers.ts'
import { uuid, type Portal, type Visit } from '../../web/visit.ts'
import { launchBy } from '../games/play.ts'
import { resultOf, tellResult } from '../games/session-results.ts'
import { gameOf } from '../parts/player.ts'

/** The game of a launch, in a frame of the platform: no cookie is read, as in /embed. */
export const ltiPlay = (portal: Portal): Router =>
  routes(portal)
    .guest(
      'GET /lti-play/:launch',
      framed(async (visit) => resumePage(visit, waysOf(visit))),
    )
    .guest(
      'POST /lti-play/:launch',
      framed(async (visit, game) => {
        try {
          const { launch } = await visit.core.lti.startLtiPlay({ token: visit.form('token') })
          return gamePlayPage(visit, game, launch!, waysOf(visit))
        } catch (error) {
          const { path, reason } = failureIn(error)
          if (path === 'attempts') return notedPage(visit, 'used')
          if (path === 'parent_consent') return notedPage(visit, 'noConsent')
          if (reason === Reason.NOT_FOUND) return notedPage(visit, 'again')
          throw error
        }
      }),
    )
    .guest(
      'POST /lti-play/:launch/game',
      framed(async (visit, game) => {
        const launch = await launchBy(visit, game, visit.form('session'))
        return launch ? gamePlayPage(visit, game, launch, waysOf(visit)) : notedPage(visit, 'again')
      }),
    )
    .guest(
      'POST /lti-play/:launch/end',
      framed(async (visit, game) => {
        const sessionSecret = visit.form('session')
        if (sessionSecret !== '') await visit.core.launches.endLaunch({ sessionSecret })
        const result = await resultOf(visit, game, sessionSecret)
        return endPage(visit, game, { result, known: undefined, ways: waysOf(visit) })
      }),
    )
    .guest('POST /lti-play/:launch/result', (visit) => tellResult(visit, visit.form('session')))

const waysOf = (visit: Visit) => platformWays(uuid(visit, 'launch'))

/** A page that the pages of the platform may show in a frame. */
function framed(handler: (visit: Visit, game: GetPublishedGameResponse) => Promise<Html>) {
  return async (visit: Visit): Promise<Html> => {
    const { origins, gameSlug } = await visit.core.lti.getLtiFrame({ launchId: uuid(visit, 'launch') })
    const game = gameSlug === '' ? undefined : await gameOf(visit, gameSlug)
    allowParents(visit.response, origins, game?.player?.isolated ?? false)
    visit.response.set('Cache-Control', 'no-store')
    return game ? handler(visit, game) : notedPage(visit, 'noLesson')
  }
}
