import { Router } from 'express'
import type { Html } from '../../web/html.ts'
import { counted } from '../../pages/parts/amount.ts'
import { sessionsPage } from '../../pages/accounts/account/sessions.ts'
import { anyAccount, refused, seeOther, type Portal, type WithAccount } from '../../web/visit.ts'

/** Where the account is signed in. */
export function sessions(portal: Portal): Router {
  return Router()
    .get(
      '/account/sessions',
      anyAccount(portal, (visit) => list(visit)),
    )
    .post(
      '/account/sessions/end',
      anyAccount(portal, async (visit) => {
        try {
          await visit.core.signIn.endSession({ sessionId: visit.form('session') })
          seeOther(visit, '/account/sessions?ended=1')
        } catch (error) {
          return list(visit, error)
        }
      }),
    )
    .post(
      '/account/sessions/end-others',
      anyAccount(portal, async (visit) => {
        const { sessions } = await visit.core.signIn.endOtherSessions({})
        seeOther(visit, `/account/sessions?ended=${sessions}`)
      }),
    )
}

async function list(visit: WithAccount, error?: unknown): Promise<Html> {
  const { sessions } = await visit.core.signIn.listSessions({})
  const failure = error === undefined ? undefined : refused(visit, error)
  const ended = visit.query('ended')
  const isDone = /^\d{1,3}$/.test(ended)
  const done = isDone && `${counted(Number(ended), 'session has', 'sessions have')} ended.`
  return sessionsPage(visit, sessions, { ...(failure && { failure }), ...(done && { done }) })
}
