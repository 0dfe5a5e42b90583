import { Router } from 'express'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { PageFailure } from '../failure.ts'
import { isInReview } from '../pages/game-state.ts'
import { reviewPage, reviewsPage } from '../pages/reviews.ts'
import { refused, reviewer, seeOther, uuid, type Portal, type Visit } from '../visit.ts'
import { gameOf } from './games.ts'

/** For reviewers; core checks the right again and lets nobody decide on games of their own studio. */
export const reviews = (portal: Portal): Router =>
  Router()
    .get('/reviews', reviewer(portal, async (visit) => {
      const decided = ['approved', 'rejected'].find((word) => word === visit.query('done'))
      return reviewsPage(visit, (await visit.core.games.listReviews({})).reviews, decided && `The game is ${decided}.`)
    }))
    .get('/reviews/:id', reviewer(portal, async (visit) => reviewPage(visit, await waiting(visit))))
    .post('/reviews/:id', reviewer(portal, async (visit) => {
      const { form, core } = visit
      const game = await waiting(visit)
      try {
        const approved = form('decision') === 'approve'
        if (!approved && form('decision') !== 'reject') throw new PageFailure(Reason.INVALID, 'Choose whether the game is approved or rejected.')
        await core.games.decideReview({ gameId: uuid(visit), buildId: form('build'), page: Number(form('page')) || 0, approved, note: form('note') })
        seeOther(visit, `/reviews?done=${approved ? 'approved' : 'rejected'}`)
      } catch (error) {
        return reviewPage(visit, game, { failure: refused(visit, error), values: form })
      }
    }))

/** The game of the address while it waits: a reviewer's own games can be seen at any time, but not decided. */
async function waiting(visit: Visit): Promise<Awaited<ReturnType<typeof gameOf>>> {
  const game = await gameOf(visit)
  if (game.summary && isInReview(game.summary.state)) return game
  throw new PageFailure(Reason.NOT_FOUND, 'This game does not wait for a decision: it was decided or taken back.')
}
