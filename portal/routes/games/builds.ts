import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { Build, Game } from '../../../gen/lrs/v1/games_pb.js'
import { PageFailure } from '../../web/failure.ts'
import { betaLinkPage } from '../../pages/games/beta-link.ts'
import { promotePage, rollbackPage } from '../../pages/games/builds.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { routes } from '../../web/routes.ts'
import { notice, uuid, type Portal, type Visit } from '../../web/visit.ts'
import { gameOf, ofGame } from '../parts/game-of.ts'

/** Builds between channels: preview of the beta, its review, and back to a replaced build. */
export const builds = (portal: Portal): Router =>
  routes(portal)
    .developer('GET /preview/:slug', async (visit) => {
      const { gameId, beta } = await visit.core.builds.listBuilds({ game: String(visit.request.params['slug']) })
      return `/games/${gameId}/sandbox${beta ? '?build=beta' : ''}`
    })
    .tester('GET /builds/:id/download', async (visit) => {
      const buildId = uuid(visit)
      const { path } = await visit.core.launches.getDownload({ buildId })
      return `${visit.at.games(buildId)}${path}`
    })
    .developer('GET /games/:id/beta-link', async (visit) => {
      const done = notice(visit, { ended: 'The link and its sessions have ended.' })
      return betaLinkPage(visit, await gameOf(visit), { done })
    })
    .developer(
      'POST /games/:id/beta-link',
      async (visit) => {
        const gameId = uuid(visit)
        const { core, form, response } = visit
        const game = await gameOf(visit)
        // a reload sends the form again
        if (String(game.betaLinked) !== form('seen'))
          throw new PageFailure(
            Reason.CONFLICT,
            'The link has changed since you opened this form, so nothing was done. A link is shown only once, also ' +
              'when you reload the page. If you do not have it, make a new one.',
          )
        const { code } = await core.builds.setBetaLink({ gameId, on: form('on') !== '' })
        if (code === '') return `/games/${gameId}/beta-link?done=ended`
        response.set('Cache-Control', 'no-store, no-transform')
        return betaLinkPage(visit, await gameOf(visit), { code })
      },
      ofGame(betaLinkPage),
    )
    .developer('GET /games/:id/promote', promotion)
    .developer(
      'POST /games/:id/promote',
      async (visit) => {
        const gameId = uuid(visit)
        const { core, form } = visit
        await core.builds.promote({ gameId, buildId: form('build'), message: form('message') })
        return `/games/${gameId}/builds?done=submitted`
      },
      promotion,
    )
    .developer('GET /games/:id/rollback', (visit) => rollback(visit, visit.query('to')))
    .developer(
      'POST /games/:id/rollback',
      async (visit) => {
        const gameId = uuid(visit)
        const { core, form } = visit
        await core.builds.rollBack({ gameId, fromBuildId: form('from'), toBuildId: form('to') })
        return `/games/${gameId}/builds?done=rolled-back`
      },
      (visit, sent) => rollback(visit, visit.form('to'), sent),
    )

const promotion = ofGame((visit, game, sent) => promotePage(visit, game, betaOf(game), sent))

/** From the live build that the page shows now. */
const rollback = async (visit: Visit, to: string, sent?: Sent) => {
  const game = await gameOf(visit)
  return rollbackPage(visit, game, keptOf(game, to), game.live?.buildId ?? '', sent)
}

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
