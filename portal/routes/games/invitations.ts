import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { Invitation } from '../../../gen/lrs/v1/launches_pb.js'
import { PageFailure } from '../../web/failure.ts'
import { html } from '../../web/html.ts'
import { hidden } from '../../pages/parts/form.ts'
import { endInvitationPage, renewLinkPage, type Place } from '../../pages/games/classes/class-ends.ts'
import { invitationsPage, newestOf, type Inviting } from '../../pages/games/classes/invitations.ts'
import { linksChanged, sheetPage } from '../../pages/games/classes/sheet.ts'
import { routes } from '../../web/routes.ts'
import { notice, uuid, type Portal, type Visit } from '../../web/visit.ts'
import { gameOf } from '../parts/game-of.ts'

const done: Readonly<Record<string, string>> = {
  revoked: 'The invitation and its sessions have ended. You can undo that for a day.',
  back: 'The invitation is good again, with the link that it had.',
}

/** Invitations: each is a link for one learner. */
export const invitations = (portal: Portal): Router =>
  routes(portal)
    // the short address of a link, as it is printed
    .page('GET /i/:code', async (visit) => {
      const code = String(visit.request.params['code']).slice(0, 200)
      const { slug } = await visit.core.launches.getInvitation({ slug: '', code })
      return `/play/${slug}?invitation=${encodeURIComponent(code)}`
    })
    .developer('GET /games/:id/invitations', (visit) =>
      showInvitations(visit, {
        done: notice(visit, done),
        from: Math.max(0, Number.parseInt(visit.query('from'), 10) || 0),
      }),
    )
    .developer(
      'POST /games/:id/invitations',
      async (visit) => {
        const name = visit.form('learner_name')
        // a reload sends the form again
        const { invitations } = await visit.core.launches.listInvitations({ gameId: uuid(visit) })
        if (newestOf(invitations) !== visit.form('seen')) {
          throw new PageFailure(
            Reason.CONFLICT,
            'The invitations have changed since you opened this form, so no new one was made. A link is ' +
              'shown only once, ' +
              'also when you reload the page. If you do not have it, make a new link for the learner below.',
          )
        }
        const { code } = await visit.core.launches.createInvitation({ gameId: uuid(visit), learnerName: name })
        visit.response.set('Cache-Control', 'no-store, no-transform')
        return await showInvitations(visit, { made: { name, code } })
      },
      showInvitations,
    )
    .developer('GET /games/:id/invitations/:invitation/end', async (visit) => {
      const [game, invitation] = await Promise.all([gameOf(visit), invitationOf(visit)])
      return endInvitationPage(visit, game, invitation, classAddressOf(visit))
    })
    .developer('POST /games/:id/invitations/:invitation/end', async (visit) => {
      await visit.core.launches.revokeInvitation(named(visit))
      return `${classAddressOf(visit).path}?done=revoked`
    })
    .developer('POST /games/:id/invitations/:invitation/restore', async (visit) => {
      await visit.core.classes.restoreInvitation(named(visit))
      return `${classAddressOf(visit).path}?done=back`
    })
    .developer('GET /games/:id/invitations/:invitation/link', async (visit) => {
      const [game, invitation] = await Promise.all([gameOf(visit), invitationOf(visit)])
      return renewLinkPage(visit, game, invitation, classAddressOf(visit))
    })
    .developer('POST /games/:id/invitations/:invitation/link', async (visit) => {
      const [game, { linked, invitationId }] = await Promise.all([gameOf(visit), invitationOf(visit)])
      // a reload sends the form again, which would end the link that was just made
      if (String(linked) !== visit.form('seen')) throw linksChanged()
      const { links } = await visit.core.classes.renewLinks({ gameId: uuid(visit), invitationIds: [invitationId] })
      visit.response.set('Cache-Control', 'no-store, no-transform')
      return sheetPage(visit, game, links, { href: classAddressOf(visit).path, text: 'Back', title: '' })
    })

export async function showInvitations(visit: Visit, inviting: Inviting) {
  const gameId = uuid(visit)
  const [game, { classes }, { invitations }] = await Promise.all([
    gameOf(visit),
    visit.core.classes.listClasses({ gameId }),
    visit.core.launches.listInvitations({ gameId }),
  ])
  return invitationsPage(visit, game, classes, invitations, inviting)
}

const named = (visit: Visit) => ({ gameId: uuid(visit), invitationId: uuid(visit, 'invitation') })

/** Id of the class whose page led here; empty: none. */
const classIn = (visit: Visit): string => {
  const id = visit.query('class') || visit.form('class')
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id) ? id : ''
}

function classAddressOf(visit: Visit): Place {
  const id = classIn(visit)
  return id === ''
    ? { path: `/games/${uuid(visit)}/invitations`, field: html`` }
    : { path: `/games/${uuid(visit)}/classes/${id}`, field: hidden('class', id) }
}

/** The invitation in the address. @throws PageFailure */
async function invitationOf(visit: Visit): Promise<Invitation> {
  const { gameId, invitationId } = named(visit)
  const classId = classIn(visit)
  const all =
    classId === ''
      ? (await visit.core.launches.listInvitations({ gameId })).invitations
      : (await visit.core.classes.getClass({ gameId, classId })).learners.map(({ invitation }) => invitation!)
  const found = all.find((one) => one.invitationId === invitationId)
  if (!found) throw new PageFailure(Reason.NOT_FOUND, 'There is no such invitation, or it has ended for good.')
  return found
}
