import { noticeKinds, type NoticeKind } from '../../../shared/notice-kinds.ts'
import { notifications } from '../../../shared/limits.ts'
import type { Run } from '../../process/database/database.ts'
import type { NoticeText, Told } from '../store/notices.ts'
import type { Store } from '../../store.ts'

/** Notices to accounts: in the header of the portal, and by mail where mails are sent. */
export function notices(store: Pick<Store, 'notices' | 'mails'>, mail: boolean) {
  return {
    /** Whether mails are sent. */
    mail,
    /**
     * Tells accounts, or members of a studio, something of a kind. Addresses that are not verified get no mail, nor do
     * accounts that have turned the kind off.
     * @param run of the transaction in which it happens
     * @param topic names one thing that is told at most once a week
     */
    tell(to: Told, kind: NoticeKind, text: NoticeText, run?: Run, topic = ''): Promise<void> {
      const { always } = noticeKinds[kind]
      return store.notices.tell(to, kind, text, { topic, mail, always, kept: notifications.ofAccount }, run)
    },
    /**
     * Writes a mail to an address, such as one that an account had before. Without mail it does nothing.
     * @param link UUID that the code in its link stands for
     */
    async write(
      recipient: string,
      kind: NoticeKind | 'link',
      text: NoticeText,
      run?: Run,
      link: string | null = null,
    ): Promise<void> {
      if (mail) await store.mails.add({ recipient }, kind, text, link, run)
    },
  }
}

export type Notices = ReturnType<typeof notices>
