import type { Router } from 'express'
import type { OpenProfile } from '../../../gen/lrs/v1/accounts_pb.js'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { PageFailure } from '../../web/failure.ts'
import { isInReview } from '../../pages/parts/game-state.ts'
import { profileReviewPage, reviewPage, reviewsPage } from '../../pages/games/reviews.ts'
import { routes } from '../../web/routes.ts'
import { uuid, type Portal, type Visit } from '../../web/visit.ts'
import { gameOf } from '../parts/game-of.ts'

/** For reviewers; core checks the right again and lets nobody decide on games of their own studio. */
export const reviews = (portal: Portal): Router =>
  routes(portal)
    .reviewer('GET /reviews', async (visit) => {
      const decided = ['approved', 'rejected'].find((word) => word === visit.query('done'))
      const { reviews, profiles } = await visit.core.games.listReviews({})
      return reviewsPage(
        visit,
        reviews,
        profiles,
        decided && `${visit.query('what') === 'profile' ? 'The profile' : 'The game'} is ${decided}.`,
      )
    })
    .reviewer('GET /reviews/studios/:id', async (visit) => profileReviewPage(visit, await waitingProfile(visit)))
    .reviewer(
      'POST /reviews/studios/:id',
      async (visit) => {
        const { form, core } = visit
        await waitingProfile(visit)
        const approved = isApproved(visit)
        await core.accounts.decideProfile({
          studioId: uuid(visit),
          profile: Number(form('profile')) || 0,
          approved,
          note: form('note'),
        })
        return `/reviews?done=${approved ? 'approved' : 'rejected'}&what=profile`
      },
      async (visit, sent) => profileReviewPage(visit, await waitingProfile(visit), sent),
    )
    .reviewer('GET /reviews/:id', async (visit) => reviewPage(visit, await waiting(visit)))
    .reviewer(
      'POST /reviews/:id',
      async (visit) => {
        const { form, core } = visit
        await waiting(visit)
        const approved = isApproved(visit)
        await core.games.decideReview({
          gameId: uuid(visit),
          buildId: form('build'),
          page: Number(form('page')) || 0,
          approved,
          note: form('note'),
        })
        return `/reviews?done=${approved ? 'approved' : 'rejected'}`
      },
      async (visit, sent) => reviewPage(visit, await waiting(visit), sent),
    )

/** @throws PageFailure when neither was chosen */
function isApproved({ form }: Visit): boolean {
  if (form('decision') === 'approve') return true
  if (form('decision') === 'reject') return false
  throw new PageFailure(Reason.INVALID, 'Choose a decision: approve or reject.')
}

/** The waiting profile of the studio in the address. */
async function waitingProfile(visit: Visit): Promise<OpenProfile> {
  const studioId = uuid(visit)
  const profile = (await visit.core.games.listReviews({})).profiles.find(({ studio }) => studio!.studioId === studioId)
  if (profile) return profile
  throw new PageFailure(
    Reason.NOT_FOUND,
    'This profile is not waiting for a decision. A reviewer decided on it, or the studio discarded its changes.',
  )
}

/** The game of the address while it waits: a reviewer's own games can be seen at any time, but not decided. */
async function waiting(visit: Visit): Promise<Awaited<ReturnType<typeof gameOf>>> {
  const game = await gameOf(visit)
  if (game.summary && isInReview(game.summary.state)) return game
  throw new PageFailure(
    Reason.NOT_FOUND,
    'This game is not waiting for a decision. A reviewer decided on it, or the studio withdrew it.',
  )
}
