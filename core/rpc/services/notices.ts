import type { ServiceImpl } from '@connectrpc/connect'
import { MailState, type NoticeService } from '../../../gen/lrs/v1/notices_pb.js'
import { mails as mailLimits, notifications as limits } from '../../../shared/limits.ts'
import { isNoticeKind, noticeKinds } from '../../../shared/notice-kinds.ts'
import type { Core } from '../../context.ts'
import type { ListedMail } from '../../store/directory/mails.ts'
import { uuidParameter } from '../../xapi/parameters.ts'
import { Problem } from '../../xapi/problem.ts'
import { person } from './developer.ts'

const states: Record<ListedMail['state'], MailState> = {
  waiting: MailState.WAITING,
  sent: MailState.SENT,
  'given-up': MailState.GIVEN_UP,
}

/** Notices to accounts, for the portal; the queue of mails, for admins. */
export function noticeService(core: Core): ServiceImpl<typeof NoticeService> {
  const { notices, mails } = core.store
  const { mail } = core.notices
  return {
    getMail: async () => ({ on: mail }),
    async listNotifications(_request, context) {
      const found = await notices.of((await person(core, context)).account, limits.ofAccount)
      return { notifications: found.map(({ created, ...of }) => ({ ...of, created: BigInt(created) })) }
    },
    async markNotifications({ notificationIds, unread }, context) {
      const { account } = await person(core, context)
      if (notificationIds.length === 0) await notices.markAll(account)
      else await notices.mark(account, uuids(notificationIds, 'notification_ids'), !unread)
      return {}
    },
    async listNoticeKinds(_request, context) {
      const { account, verified } = await person(core, context)
      const muted = await notices.muted(account)
      return {
        kinds: Object.entries(noticeKinds).map(([kind, of]) => ({ kind, ...of, muted: muted.includes(kind) })),
        mailed: mail && verified,
      }
    },
    async setMutedKinds({ kinds }, context) {
      const { account } = await person(core, context)
      const wrong = kinds.find((kind) => !isNoticeKind(kind) || noticeKinds[kind].always)
      if (wrong !== undefined) throw new Problem('kinds', 'must be kinds whose mails can be turned off')
      await notices.mute(account, kinds)
      return {}
    },
    async listMails({ state }) {
      const [name = ''] = Object.entries(states).find(([, message]) => message === state) ?? []
      const found = await mails.list(name, mailLimits.listed)
      return {
        on: mail,
        mails: found.map(({ state, created, due, ...of }) => ({
          ...of,
          state: states[state],
          created: BigInt(created),
          due: BigInt(due),
        })),
      }
    },
    retryMails: async ({ mailIds }) => ({
      mails: await mails.retry(mailIds.length === 0 ? undefined : uuids(mailIds, 'mail_ids')),
    }),
  }
}

const uuids = (given: readonly string[], path: string): string[] =>
  given.flatMap((id, index) => uuidParameter(id, `${path}[${index}]`) ?? [])
