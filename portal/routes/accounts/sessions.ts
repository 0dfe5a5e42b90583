import type { Router } from 'express'
import type { Html } from '../../web/html.ts'
import { counted } from '../../pages/parts/amount.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { sessionsPage } from '../../pages/accounts/account/sessions.ts'
import { routes } from '../../web/routes.ts'
import type { Portal, WithAccount } from '../../web/visit.ts'

/** Where the account is signed in. */
export function sessions(portal: Portal): Router {
  return routes(portal)
    .anyAccount('GET /account/sessions', list)
    .anyAccount(
      'POST /account/sessions/end',
      async (visit) => {
        await visit.core.signIn.endSession({ sessionId: visit.form('session') })
        return '/account/sessions?ended=1'
      },
      list,
    )
    .anyAccount('POST /account/sessions/end-others', async (visit) => {
      const { sessions } = await visit.core.signIn.endOtherSessions({})
      return `/account/sessions?ended=${sessions}`
    })
}

async function list(visit: WithAccount, sent?: Sent): Promise<Html> {
  const { sessions } = await visit.core.signIn.listSessions({})
  const ended = visit.query('ended')
  const done = /^\d{1,3}$/.test(ended) ? `${counted(Number(ended), 'session has', 'sessions have')} ended.` : undefined
  return sessionsPage(visit, sessions, { ...sent, done })
}
