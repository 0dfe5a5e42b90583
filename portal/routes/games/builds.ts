import { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { Build, Game } from '../../../gen/lrs/v1/games_pb.js'
import { PageFailure } from '../../web/failure.ts'
import { betaLinkPage } from '../../pages/games/beta-link.ts'
import { promotePage, rollbackPage } from '../../pages/games/builds.ts'
import { developer, refused, seeOther, tester, uuid, type Portal } from '../../web/visit.ts'
import { gameOf } from '../parts/game-of.ts'

/** Builds between channels: preview of the beta, its review, and back to a replaced build. */
export const builds = (portal: Portal): Router =>
  Router()
    .get(
      '/preview/:slug',
      developer(portal, async (visit) => {
        const { gameId, beta } = await visit.core.builds.listBuilds({ game: String(visit.request.params['slug']) })
        seeOther(visit, `/games/${gameId}/sandbox${beta ? '?build=beta' : ''}`)
      }),
    )
    .get(
      '/builds/:id/download',
      tester(portal, async (visit) => {
        const buildId = uuid(visit)
        const { path } = await visit.core.launches.getDownload({ buildId })
        seeOther(visit, `${visit.at.games(buildId)}${path}`)
      }),
    )
    .get(
      '/games/:id/beta-link',
      developer(portal, async (visit) => {
        const done = visit.query('done') === 'ended' ? 'The link and its sessions have ended.' : undefined
        return betaLinkPage(visit, await gameOf(visit), { done })
      }),
    )
    .post(
      '/games/:id/beta-link',
      developer(portal, async (visit) => {
        const gameId = uuid(visit)
        const { core, form, response } = visit
        const game = await gameOf(visit)
        try {
          // a reload sends the form again
          if (String(game.betaLinked) !== form('seen'))
            throw new PageFailure(
              Reason.CONFLICT,
              'The link has changed since you opened this form, so nothing was done. A link is shown only once, also ' +
                'when you reload the page. If you do not have it, make a new one.',
            )
          const { code } = await core.builds.setBetaLink({ gameId, on: form('on') !== '' })
          if (code === '') return seeOther(visit, `/games/${gameId}/beta-link?done=ended`)
          response.set('Cache-Control', 'no-store, no-transform')
          return betaLinkPage(visit, await gameOf(visit), { code })
        } catch (error) {
          return betaLinkPage(visit, game, { failure: refused(visit, error) })
        }
      }),
    )
    .get(
      '/games/:id/promote',
      developer(portal, async (visit) => {
        const game = await gameOf(visit)
        return promotePage(visit, game, betaOf(game))
      }),
    )
    .post(
      '/games/:id/promote',
      developer(portal, async (visit) => {
        const gameId = uuid(visit)
        const { core, form } = visit
        try {
          await core.builds.promote({ gameId, buildId: form('build'), message: form('message') })
        } catch (error) {
          const game = await gameOf(visit)
          return promotePage(visit, game, betaOf(game), refused(visit, error), form('message'))
        }
        return seeOther(visit, `/games/${gameId}?done=submitted`)
      }),
    )
    .get(
      '/games/:id/rollback',
      developer(portal, async (visit) => {
        const game = await gameOf(visit)
        return rollbackPage(visit, game, keptOf(game, visit.query('to')), game.live?.buildId ?? '')
      }),
    )
    .post(
      '/games/:id/rollback',
      developer(portal, async (visit) => {
        const gameId = uuid(visit)
        const { core, form } = visit
        try {
          await core.builds.rollBack({ gameId, fromBuildId: form('from'), toBuildId: form('to') })
        } catch (error) {
          const failure = refused(visit, error)
          const game = await gameOf(visit)
          // the live build that the page shows now
          return rollbackPage(visit, game, keptOf(game, form('to')), game.live?.buildId ?? '', failure)
        }
        return seeOther(visit, `/games/${gameId}?done=rolled-back`)
      }),
    )

function betaOf({ beta }: Game): Build {
  if (beta) return beta
  throw new PageFailure(Reason.NOT_FOUND, 'The game has no beta build: upload one to the channel beta.')
}

/** The last replaced one, if none is named. */
function keptOf({ kept }: Game, buildId: string): Build {
  const build = buildId === '' ? kept[0] : kept.find((one) => one.buildId === buildId)
  if (build) return build
  throw new PageFailure(
    Reason.NOT_FOUND,
    'This build is not kept, or is live already: the page of the game has those that are kept.',
  )
}
