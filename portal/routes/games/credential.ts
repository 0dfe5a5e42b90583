import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { PageFailure } from '../../web/failure.ts'
import { credentialPage, rotatePage, secretPage } from '../../pages/games/credential.ts'
import type { Html } from '../../web/html.ts'
import { routes } from '../../web/routes.ts'
import { uuid, type Portal, type Visit } from '../../web/visit.ts'
import { gameOf, ofGame } from '../parts/game-of.ts'

/** Only the response to one POST holds the secret; core refuses to show it again. */
export const credential = (portal: Portal): Router =>
  routes(portal)
    .developer('GET /games/:id/credential', ofGame(credentialPage))
    .developer(
      'POST /games/:id/credential/reveal',
      async (visit) => {
        const game = await gameOf(visit)
        return unseen(visit, secretPage(visit, game, await visit.core.games.revealSecret({ gameId: uuid(visit) })))
      },
      ofGame(credentialPage),
    )
    .developer('GET /games/:id/credential/rotate', ofGame(rotatePage))
    .developer(
      'POST /games/:id/credential/rotate',
      async (visit) => {
        const game = await gameOf(visit)
        // a reload sends the form again, which would end the secret that was just shown
        const isSeen = String(game.credential?.rotated ?? 0n) === visit.form('seen')
        if (!isSeen)
          throw new PageFailure(
            Reason.CONFLICT,
            'The secret was rotated after you opened this page. The new secret was shown then. ' +
              'Rotate again only if you do not have it.',
          )
        return unseen(visit, secretPage(visit, game, await visit.core.games.rotateSecret({ gameId: uuid(visit) })))
      },
      ofGame(credentialPage),
    )

/** No cache keeps it. It is not compressed, so its size reveals nothing (BREACH). */
function unseen(visit: Visit, page: Html): Html {
  visit.response.set('Cache-Control', 'no-store, no-transform')
  return page
}
