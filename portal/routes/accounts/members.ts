import type { Router } from 'express'
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
import type { Sent } from '../../pages/parts/form.ts'
import { secretsPage } from '../../pages/accounts/studio/secrets.ts'
import { routes } from '../../web/routes.ts'
import { isAtSchool, notice, sayToMember, uuid, type Portal, type SignedIn, type Visit } from '../../web/visit.ts'

const done: Readonly<Record<string, string>> = {
  role: 'role',
  analyst: 'role',
  removed: 'removed',
  'handed-over': 'over',
  revoked: 'revoked',
  kept: 'kept',
}
/** Notices above the secrets that a former developer may still know. */
const whoLeft: Readonly<Record<string, string>> = {
  removed: 'The member is removed. Secrets of games that they have seen still work: make new ones here.',
  analyst: 'The member is an analyst now. Secrets of games that they have seen still work: make new ones here.',
}

/** The members of a studio, and the links that invite them. */
export function members(portal: Portal): Router {
  return routes(portal)
    .member('GET /studio/members', (visit) => {
      const what = notice(visit, done)
      return show(visit, { done: what && sayToMember(visit).text('member.done', { what }) })
    })
    .owner(
      'POST /studio/members',
      async (visit) => {
        const { core, form } = visit
        // a reload sends the form again
        const { invitations } = await core.members.listMembers({})
        if (newestOf(invitations) !== form('seen')) {
          throw new PageFailure(Reason.CONFLICT, sayToMember(visit).text('member.changed'))
        }
        const made = await core.members.inviteMember({
          role: roleIn(visit),
          email: form('email'),
          senderIp: visit.senderIp,
          language: visit.say.language,
        })
        visit.response.set('Cache-Control', 'no-store, no-transform')
        return await show(visit, { made })
      },
      show,
    )
    .owner('POST /studio/members/invitations/:link/revoke', async (visit) => {
      await visit.core.members.revokeMemberInvitation({ invitationId: uuid(visit, 'link') })
      return '/studio/members?done=revoked'
    })
    .developer('GET /studio/secrets', async (visit) =>
      secretsPage(visit, await gamesWithSecrets(visit), notice(visit, whoLeft)),
    )
    .owner('GET /studio/members/:member', ofMember(memberPage))
    .owner('GET /studio/members/:member/remove', ofMember(removePage))
    .owner('GET /studio/members/:member/hand-over', ofMember(handOverPage))
    .owner(
      'POST /studio/members/:member/role',
      async (visit) => {
        const role = roleIn(visit)
        await visit.core.members.setMemberRole({ ...named(visit), role })
        return changed(visit, role === MemberRole.ANALYST ? 'analyst' : 'role')
      },
      ofMember(memberPage),
    )
    .owner(
      'POST /studio/members/:member/remove',
      async (visit) => {
        await visit.core.members.removeMember(named(visit))
        return changed(visit, 'removed')
      },
      ofMember(removePage),
    )
    .owner(
      'POST /studio/members/:member/hand-over',
      async (visit) => {
        await visit.core.members.handOver(named(visit))
        return changed(visit, 'handed-over')
      },
      ofMember(handOverPage),
    )
    .member('GET /studio/leave', (visit) => leavePage(visit))
    .member(
      'POST /studio/leave',
      async (visit) => {
        await visit.core.members.leaveStudio({})
        return visit.account.memberships.length > 1 ? '/account?done=left' : '/start?done=left'
      },
      leavePage,
    )
    .page('GET /members/join', async (visit) => joinPage(visit, codeOf(visit), await invitationOf(visit)))
    .withAccount(
      'POST /members/join',
      async (visit) => {
        await visit.core.members.acceptMemberInvitation({ code: codeOf(visit) })
        return '/games?done=joined'
      },
      async (visit, sent) => joinPage(visit, codeOf(visit), await invitationOf(visit), sent),
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

/** The member of a form, with the password of the owner who sends it. */
const named = (visit: SignedIn) => ({ accountId: uuid(visit, 'member'), password: visit.form('password') })

/** Where to go on after a change: to the secrets, if the former developer may know some. */
async function changed(visit: SignedIn, what: string): Promise<string> {
  const left = !isAtSchool(visit) && Object.hasOwn(whoLeft, what) && (await gamesWithSecrets(visit)).length > 0
  return `/studio/${left ? 'secrets' : 'members'}?done=${what}`
}

const ofMember = (show: typeof memberPage) => async (visit: SignedIn, sent?: Sent) =>
  show(visit, await memberOf(visit), sent)

/** The member of the address. @throws PageFailure not found */
async function memberOf(visit: SignedIn) {
  const { members } = await visit.core.members.listMembers({})
  const member = members.find(({ accountId }) => accountId === uuid(visit, 'member'))
  if (!member) throw new PageFailure(Reason.NOT_FOUND, 'There is no such member (any more).')
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
