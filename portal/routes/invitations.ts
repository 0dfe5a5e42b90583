import { Router } from 'express'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { PageFailure } from '../failure.ts'
import { invitationsPage, newestOf, type Inviting } from '../pages/invitations.ts'
import { developer, refused, seeOther, uuid, type Portal, type Visit } from '../visit.ts'
import { gameOf } from './games.ts'

/** Invitations: each is a link for one learner. */
export const invitations = (portal: Portal): Router =>
  Router()
    .get(
      '/games/:id/invitations',
      developer(portal, (visit) =>
        show(visit, {
          done: visit.query('done') === 'revoked' ? 'The invitation and its sessions have ended.' : undefined,
        }),
      ),
    )
    .post(
      '/games/:id/invitations',
      developer(portal, async (visit) => {
        const name = visit.form('learner_name')
        try {
          // a reload sends the form again
          const { invitations } = await visit.core.launches.listInvitations({ gameId: uuid(visit) })
          if (newestOf(invitations) !== visit.form('seen')) {
            throw new PageFailure(
              Reason.CONFLICT,
              'The invitations have changed since you opened this form, so no new one was made. A link is shown only once, ' +
                'also when you reload the page. If you do not have it, end that invitation and make another one.',
            )
          }
          const { code } = await visit.core.launches.createInvitation({ gameId: uuid(visit), learnerName: name })
          return await show(visit, { made: { name, code } })
        } catch (error) {
          return show(visit, { failure: refused(visit, error), values: visit.form })
        }
      }),
    )
    .post(
      '/games/:id/invitations/:invitation/revoke',
      developer(portal, async (visit) => {
        const gameId = uuid(visit)
        await visit.core.launches.revokeInvitation({ gameId, invitationId: uuid(visit, 'invitation') })
        return seeOther(visit, `/games/${gameId}/invitations?done=revoked`)
      }),
    )

async function show(visit: Visit, inviting: Inviting) {
  const game = await gameOf(visit)
  const { invitations } = await visit.core.launches.listInvitations({ gameId: uuid(visit) })
  return invitationsPage(visit, game, invitations, inviting)
}
