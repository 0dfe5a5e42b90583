import type { Router } from 'express'
import { notificationsPage } from '../../pages/accounts/account/notifications.ts'
import { routes } from '../../web/routes.ts'
import { notice, ownPath, uuid, type Portal, type WithAccount } from '../../web/visit.ts'

/** What the account was told. */
export function notifications(portal: Portal): Router {
  return routes(portal)
    .withAccount('GET /notifications', async (visit) =>
      notificationsPage(visit, await listOf(visit), notice(visit, { read: 'All are marked as read.' })),
    )
    .withAccount('POST /notifications/read', async (visit) => {
      await visit.core.notices.markNotifications({})
      return '/notifications?done=read'
    })
    .withAccount('POST /notifications/:id', async (visit) => {
      const id = uuid(visit)
      const found = (await listOf(visit)).find(({ notificationId }) => notificationId === id)
      if (found) await visit.core.notices.markNotifications({ notificationIds: [id] })
      return found ? ownPath(found.path) : '/notifications'
    })
    .withAccount('POST /notifications/:id/read', mark(false))
    .withAccount('POST /notifications/:id/unread', mark(true))
}

const mark = (unread: boolean) => async (visit: WithAccount) => {
  await visit.core.notices.markNotifications({ notificationIds: [uuid(visit)], unread })
  return '/notifications'
}
const listOf = async ({ core }: WithAccount) => (await core.notices.listNotifications({})).notifications
