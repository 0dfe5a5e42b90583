import { secondThoughts } from '../../../shared/limits.ts'
import type { NoticeText } from '../store/notices.ts'
import { called } from '../access/developer.ts'
import type { MemberRole } from '../rules/roles.ts'

const toMembers = { path: '/studio/members', action: 'See the members' } as const
const toAccount = { path: '/account', action: 'See your studios' } as const

/** A name, so that it is seen where it ends. */
const quoted = (name: string): string => `“${name.replaceAll(/[“”„‟"«»]/g, "'")}”`

/** Notices to members. */
export const teamNotices = {
  invited: (studio: string, role: MemberRole, days: number): NoticeText => ({
    // it goes to strangers: no name in its subject
    title: 'You are invited to a studio',
    lines: [
      `You can join the studio ${quoted(studio)} as ${called[role]}.`,
      `The link works once, for ${days} days. If you have no account yet, you can make one there.`,
    ],
    path: '/members/join',
    action: 'See the invitation',
  }),
  joined: (studio: string, email: string, role: MemberRole): NoticeText => ({
    title: `${email} joined ${studio}`,
    lines: [`They accepted an invitation of an owner and are ${called[role]}.`],
    ...toMembers,
  }),
  left: (studio: string, email: string): NoticeText => ({
    title: `${email} left ${studio}`,
    lines: ['They can no longer see or change anything of the studio.'],
    ...toMembers,
  }),
  role: (studio: string, role: MemberRole): NoticeText => ({
    title: `You are ${called[role]} of ${studio} now`,
    lines: ['An owner of the studio changed your role.'],
    ...toAccount,
  }),
  removed: (studio: string): NoticeText => ({
    title: `You are no member of ${studio} any more`,
    lines: ['An owner of the studio removed you.'],
    ...toAccount,
  }),
  studioEnds: (studio: string, email: string): NoticeText => ({
    title: `${studio} will be deleted`,
    lines: [`${email} asked for it. It happens in ${secondThoughts.days} days; until then an owner can keep it.`],
    path: '/studio/delete',
    action: 'See what goes and what stays',
  }),
  studioStays: (studio: string, email: string): NoticeText => ({
    title: `${studio} stays`,
    lines: [`${email} decided not to delete it.`],
    ...toMembers,
  }),
  accountEnds: (): NoticeText => ({
    title: 'Your account will be deleted',
    lines: [
      `It happens in ${secondThoughts.days} days. If you did not ask for it, change your password and ` +
        `keep the account.`,
    ],
    path: '/account/delete',
    action: 'Keep the account',
  }),
}
