import { Router } from 'express'
import { notificationsPage } from '../../pages/accounts/account/notifications.ts'
import { ownPath, seeOther, uuid, withAccount, type Portal, type WithAccount } from '../../web/visit.ts'

/** What the account was told. */
export function notifications(portal: Portal): Router {
  const mark = (unread: boolean) =>
    withAccount(portal, async (visit) => {
      await visit.core.notices.markNotifications({ notificationIds: [uuid(visit)], unread })
      seeOther(visit, '/notifications')
    })
  return Router()
    .get(
      '/notifications',
      withAccount(portal, async (visit) => notificationsPage(visit, await listOf(visit), doneIn(visit))),
    )
    .post(
      '/notifications/read',
      withAccount(portal, async (visit) => {
        await visit.core.notices.markNotifications({})
        seeOther(visit, '/notifications?done=read')
      }),
    )
    .post(
      '/notifications/:id',
      withAccount(portal, async (visit) => {
        const id = uuid(visit)
        const found = (await listOf(visit)).find(({ notificationId }) => notificationId === id)
        if (found) await visit.core.notices.markNotifications({ notificationIds: [id] })
        seeOther(visit, found ? ownPath(found.path) : '/notifications')
      }),
    )
    .post('/notifications/:id/read', mark(false))
    .post('/notifications/:id/unread', mark(true))
}

const listOf = async ({ core }: WithAccount) => (await core.notices.listNotifications({})).notifications
const doneIn = ({ query }: WithAccount): string | undefined =>
  query('done') === 'read' ? 'All are marked as read.' : undefined
