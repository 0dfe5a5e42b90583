import { MailState, NoticeService } from '../../../gen/lrs/v1/notices_pb.js'
import { mails as mailLimits, notifications as limits } from '../../../shared/limits.ts'
import { isNoticeKind, noticeKinds } from '../../../shared/notice-kinds.ts'
import type { ListedMail } from '../store/mails.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'
import { Problem } from '../../process/problem.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, NotAudited } from '../../process/methods/audit-entries.ts'
import { endWeekly, setWeekly } from '../command/weekly-mails.ts'
import { developer, person } from '../../process/methods/developer.ts'
import { byName } from '../../process/methods/enums.ts'

const states: Readonly<Record<ListedMail['state'], MailState>> = byName(MailState)

/** Notices to accounts, for the portal; the queue of mails, for admins. */
export const noticeService = service(NoticeService, {
  getMail: method({ right: 'public', audit: reads }, async (core) => ({ on: core.notices.mail })),
  listNotifications: method({ right: 'account', audit: reads }, async (core, _request, context) => {
    return { notifications: await core.store.notices.of((await person(core, context)).account, limits.ofAccount) }
  }),
  markNotifications: method(
    { right: 'account', audit: new NotAudited('What an account has read is its own affair.') },
    async (core, { notificationIds, unread }, context) => {
      const { account } = await person(core, context)
      if (notificationIds.length === 0) await core.store.notices.markAll(account)
      else await core.store.notices.mark(account, uuids(notificationIds, 'notification_ids'), !unread)
    },
  ),
  listNoticeKinds: method({ right: 'account', audit: reads }, async (core, _request, context) => {
    const { account, verified, studio } = await person(core, context)
    const muted = await core.store.notices.muted(account)
    return {
      kinds: Object.entries(noticeKinds).map(([kind, of]) => ({ kind, ...of, muted: muted.includes(kind) })),
      mailed: core.notices.mail && verified,
      ...(studio === null ? {} : { weekly: await core.store.weeklyMails.has(studio, account) }),
    }
  }),
  setMutedKinds: method(
    { right: 'account', audit: { action: 'account.mute-mails', details: ({ kinds }) => ({ kinds: kinds.join(' ') }) } },
    async (core, { kinds }, context) => {
      const { account } = await person(core, context)
      const wrong = kinds.find((kind) => !isNoticeKind(kind) || noticeKinds[kind].always)
      if (wrong !== undefined) throw new Problem('kinds', 'must be kinds whose mails can be turned off')
      await core.store.notices.mute(account, kinds)
    },
  ),
  setWeeklyMail: method(
    {
      right: 'analyst',
      audit: { action: 'account.set-weekly-mail', details: ({ on }) => ({ on: on ? 'yes' : 'no' }) },
    },
    async (core, { on }, context) => setWeekly(core.store, await developer(core, context), on),
  ),
  endWeeklyMail: method({ right: 'public', audit: 'account.end-weekly-mail' }, endWeekly),
  listMails: method({ right: 'admin', audit: reads }, async (core, { state }) => {
    const [name = ''] = Object.entries(states).find(([, message]) => message === state) ?? []
    const found = await core.store.mails.list(name, mailLimits.listed)
    return { on: core.notices.mail, mails: found.map(({ state, ...of }) => ({ ...of, state: states[state] })) }
  }),
  retryMails: method(
    { right: 'admin', audit: { action: 'store.retry-mails', details: (_, done) => ({ mails: done?.mails }) } },
    async ({ store }, { mailIds }) => ({
      mails: await store.mails.retry(mailIds.length === 0 ? undefined : uuids(mailIds, 'mail_ids')),
    }),
  ),
})

const uuids = (given: readonly string[], path: string): string[] =>
  given.flatMap((id, index) => uuidParameter(id, `${path}[${index}]`) ?? [])
