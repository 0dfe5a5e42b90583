import { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { MemberRole } from '../../../gen/lrs/v1/members_pb.js'
import { PageFailure } from '../../web/failure.ts'
import type { Html } from '../../web/html.ts'
import {
  handOverPage,
  joinPage,
  leavePage,
  memberPage,
  membersPage,
  newestOf,
  removePage,
  type Inviting,
} from '../../pages/accounts/studio/members.ts'
import { secretsPage } from '../../pages/accounts/studio/secrets.ts'
import {
  developer,
  owner,
  page,
  refused,
  seeOther,
  signedIn,
  uuid,
  withAccount,
  type Portal,
  type SignedIn,
  type Visit,
} from '../../web/visit.ts'

const done: Readonly<Record<string, string>> = {
  role: 'The role is changed.',
  analyst: 'The role is changed.',
  removed: 'The member is removed.',
  'handed-over': 'The studio is handed over. You are a developer now.',
  revoked: 'The invitation is revoked.',
  kept: 'The studio stays.',
}
const doneIn = ({ query }: Visit, of = done): string | undefined =>
  Object.hasOwn(of, query('done')) ? of[query('done')] : undefined
/** Notices above the secrets that a former developer may still know. */
const whoLeft: Readonly<Record<string, string>> = {
  removed: 'The member is removed. Secrets of games that they have seen still work: make new ones here.',
  analyst: 'The member is an analyst now. Secrets of games that they have seen still work: make new ones here.',
}

/** The members of a studio, and the links that invite them. */
export function members(portal: Portal): Router {
  const ofMember = (show: typeof memberPage) => owner(portal, async (visit) => show(visit, await memberOf(visit)))
  const change = (show: typeof memberPage, apply: (visit: SignedIn, accountId: string) => Promise<string>) =>
    owner(portal, async (visit) => {
      try {
        const what = await apply(visit, uuid(visit, 'member'))
        const left = Object.hasOwn(whoLeft, what) && (await gamesWithSecrets(visit)).length > 0
        seeOther(visit, `/studio/${left ? 'secrets' : 'members'}?done=${what}`)
      } catch (error) {
        return show(visit, await memberOf(visit), refused(visit, error))
      }
    })

  return Router()
    .get(
      '/studio/members',
      signedIn(portal, (visit) => show(visit, { done: doneIn(visit) })),
    )
    .post(
      '/studio/members',
      owner(portal, async (visit) => {
        const { core, form } = visit
        try {
          // a reload sends the form again
          const { invitations } = await core.members.listMembers({})
          if (newestOf(invitations) !== form('seen')) {
            throw new PageFailure(
              Reason.CONFLICT,
              'The invitations have changed since you opened this form, so no new one was made. A link is ' +
                'shown only once, ' +
                'also when you reload the page. If you do not have it, revoke that invitation and make another one.',
            )
          }
          const made = await core.members.inviteMember({
            role: roleIn(visit),
            email: form('email'),
            senderIp: visit.senderIp,
          })
          visit.response.set('Cache-Control', 'no-store, no-transform')
          return await show(visit, { made })
        } catch (error) {
          return show(visit, { failure: refused(visit, error), values: form })
        }
      }),
    )
    .post(
      '/studio/members/invitations/:link/revoke',
      owner(portal, async (visit) => {
        await visit.core.members.revokeMemberInvitation({ invitationId: uuid(visit, 'link') })
        seeOther(visit, '/studio/members?done=revoked')
      }),
    )
    .get(
      '/studio/secrets',
      developer(portal, async (visit) => secretsPage(visit, await gamesWithSecrets(visit), doneIn(visit, whoLeft))),
    )
    .get('/studio/members/:member', ofMember(memberPage))
    .get('/studio/members/:member/remove', ofMember(removePage))
    .get('/studio/members/:member/hand-over', ofMember(handOverPage))
    .post(
      '/studio/members/:member/role',
      change(memberPage, async (visit, accountId) => {
        const { core, form } = visit
        const role = roleIn(visit)
        await core.members.setMemberRole({ accountId, role, password: form('password') })
        return role === MemberRole.ANALYST ? 'analyst' : 'role'
      }),
    )
    .post(
      '/studio/members/:member/remove',
      change(removePage, async ({ core, form }, accountId) => {
        await core.members.removeMember({ accountId, password: form('password') })
        return 'removed'
      }),
    )
    .post(
      '/studio/members/:member/hand-over',
      change(handOverPage, async ({ core, form }, accountId) => {
        await core.members.handOver({ accountId, password: form('password') })
        return 'handed-over'
      }),
    )
    .get(
      '/studio/leave',
      signedIn(portal, (visit) => leavePage(visit)),
    )
    .post(
      '/studio/leave',
      signedIn(portal, async (visit) => {
        try {
          await visit.core.members.leaveStudio({})
          seeOther(visit, visit.account.memberships.length > 1 ? '/account?done=left' : '/start?done=left')
        } catch (error) {
          return leavePage(visit, refused(visit, error))
        }
      }),
    )
    .get(
      '/join',
      page(portal, async (visit) => joinPage(visit, codeOf(visit), await invitationOf(visit))),
    )
    .post(
      '/join',
      withAccount(portal, async (visit) => {
        try {
          await visit.core.members.acceptMemberInvitation({ code: codeOf(visit) })
          seeOther(visit, '/games?done=joined')
        } catch (error) {
          return joinPage(visit, codeOf(visit), await invitationOf(visit), refused(visit, error))
        }
      }),
    )
}

async function show(visit: SignedIn, inviting: Inviting): Promise<Html> {
  const { members, invitations } = await visit.core.members.listMembers({})
  return membersPage(visit, members, invitations, inviting)
}

/** At most a hundred. */
async function gamesWithSecrets({ core }: SignedIn): Promise<Game[]> {
  const { games } = await core.games.listGames({})
  const found = await Promise.all(games.slice(0, 100).map(({ gameId }) => core.games.getGame({ gameId })))
  return found.flatMap(({ game }) => (game?.credential ? [game] : []))
}

/** The member of the address. @throws PageFailure not found */
async function memberOf(visit: SignedIn) {
  const { members } = await visit.core.members.listMembers({})
  const member = members.find(({ accountId }) => accountId === uuid(visit, 'member'))
  if (!member) throw new PageFailure(Reason.NOT_FOUND, 'There is no such member of the studio (any more).')
  return member
}

/** The role of a form; core refuses what is none. */
function roleIn({ form }: Visit): MemberRole {
  const role = Number(form('role'))
  return MemberRole[role] === undefined ? MemberRole.UNSPECIFIED : role
}

/** The code of the link, or of the form on its page. */
const codeOf = ({ query, form }: Visit): string => (query('code') || form('code')).slice(0, 200)
const invitationOf = (visit: Visit) => visit.core.members.getMemberInvitation({ code: codeOf(visit) })
