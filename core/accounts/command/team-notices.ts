import { secondThoughts } from '../../../shared/limits.ts'
import type { NoticeText } from '../store/notices.ts'
import { fromCatalogue } from '../notices/said.ts'
import type { MemberRole } from '../rules/roles.ts'

const members = '/studio/members'

/** A name, so that it is seen where it ends. */
const quoted = (name: string): string => `“${name.replaceAll(/[“”„‟"«»]/g, "'")}”`

/** Notices to members. */
export const teamNotices = {
  /** It goes to strangers: no name in its subject. */
  invited: (studio: string, role: MemberRole, days: number): NoticeText =>
    fromCatalogue('invited', '/members/join', { studio: quoted(studio), role, days }),
  joined: (studio: string, email: string, role: MemberRole): NoticeText =>
    fromCatalogue('joined', members, { studio, email, role }),
  left: (studio: string, email: string): NoticeText => fromCatalogue('left', members, { studio, email }),
  role: (studio: string, role: MemberRole): NoticeText => fromCatalogue('role', '/account', { studio, role }),
  removed: (studio: string): NoticeText => fromCatalogue('removed', '/account', { studio }),
  studioEnds: (studio: string, email: string): NoticeText => ({
    title: `${studio} will be deleted`,
    lines: [`${email} asked for it. It happens in ${secondThoughts.days} days; until then an owner can keep it.`],
    path: '/studio/delete',
    action: 'See what goes and what stays',
  }),
  studioStays: (studio: string, email: string): NoticeText => ({
    title: `${studio} stays`,
    lines: [`${email} decided not to delete it.`],
    path: members,
    action: 'See the members',
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
