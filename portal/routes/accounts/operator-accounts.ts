import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { OperatedAccount } from '../../../gen/lrs/v1/operator_pb.js'
import { PageFailure } from '../../web/failure.ts'
import type { Html } from '../../web/html.ts'
import {
  accountsPage,
  endSessionsPage,
  operatedAccountPage,
  suspendAccountPage,
} from '../../pages/accounts/operator/operator-accounts.ts'
import { mailPage, operatedActivityPage } from '../../pages/accounts/operator/operator-logs.ts'
import { reportsPage } from '../../pages/accounts/operator/operator-reports.ts'
import { studioPage, studiosPage, suspendStudioPage } from '../../pages/accounts/operator/operator-studios.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { dayOf } from './activity.ts'
import { routes } from '../../web/routes.ts'
import { notice, uuid, type Portal, type WithAccount } from '../../web/visit.ts'

/** Notices by the parameter `done` of the address. */
const done: Readonly<Record<string, string>> = {
  suspended: 'Suspended.',
  resumed: 'The suspension is lifted.',
  saved: 'Saved.',
  retried: 'They are tried again now.',
  closed: 'The report is closed.',
  ended: 'All sessions of the account have ended.',
}

/** Studios, accounts, mail and the audit log, for those who run the service. Core lets in admins only. */
export function operatorAccounts(portal: Portal): Router {
  return routes(portal)
    .operator('GET /operator/studios', async (visit) =>
      studiosPage(visit, await visit.core.operator.findStudios({ find: visit.query('find') })),
    )
    .operator('GET /operator/studios/:id', oneStudio)
    .operator('GET /operator/studios/:id/suspend', async (visit) =>
      suspendStudioPage(visit, (await studioOf(visit)).studio!),
    )
    .operator(
      'POST /operator/studios/:id/suspend',
      async (visit) => {
        const studio = uuid(visit)
        await visit.core.operator.suspendStudio({ studio, suspended: true, note: visit.form('note') })
        return `/operator/studios/${studio}?done=suspended`
      },
      async (visit, sent) => suspendStudioPage(visit, (await studioOf(visit)).studio!, sent.failure),
    )
    .operator('POST /operator/studios/:id/resume', async (visit) => {
      await visit.core.operator.suspendStudio({ studio: uuid(visit), suspended: false })
      return `/operator/studios/${uuid(visit)}?done=resumed`
    })
    .operator('POST /operator/studios/:id/trusted', async (visit) => {
      await visit.core.accounts.setTrusted({ email: uuid(visit), trusted: visit.form('trusted') === 'yes' })
      return `/operator/studios/${uuid(visit)}?done=saved`
    })
    .operator(
      'POST /operator/studios/:id/quotas',
      async (visit) => {
        const [studio, limit] = [uuid(visit), limitIn(visit.form('limit'))]
        if (limit === 'wrong')
          throw new PageFailure(Reason.INVALID, 'limit: must be a number, or bytes such as 40 GB', { path: 'limit' })
        await visit.core.quotas.setQuota({ studio, name: visit.form('name'), limit })
        return `/operator/studios/${studio}?done=saved`
      },
      oneStudio,
    )
    .operator('GET /operator/accounts', async (visit) =>
      accountsPage(visit, await visit.core.operator.findAccounts({ find: visit.query('find') })),
    )
    .operator('GET /operator/accounts/:id', async (visit) =>
      operatedAccountPage(visit, await accountOf(visit), {}, notice(visit, done)),
    )
    .operator('GET /operator/accounts/:id/suspend', async (visit) => suspendAccountPage(visit, await accountOf(visit)))
    .operator('GET /operator/accounts/:id/end-sessions', async (visit) =>
      endSessionsPage(visit, await accountOf(visit)),
    )
    .operator('POST /operator/accounts/:id/suspend', async (visit) => {
      await visit.core.operator.suspendAccount({ accountId: uuid(visit), suspended: true })
      return `/operator/accounts/${uuid(visit)}?done=suspended`
    })
    .operator('POST /operator/accounts/:id/resume', async (visit) => {
      await visit.core.operator.suspendAccount({ accountId: uuid(visit), suspended: false })
      return `/operator/accounts/${uuid(visit)}?done=resumed`
    })
    .operator('POST /operator/accounts/:id/end-sessions', async (visit) => {
      await visit.core.operator.endAccountSessions({ accountId: uuid(visit) })
      return `/operator/accounts/${uuid(visit)}?done=ended`
    })
    .operator('POST /operator/accounts/:id/reviewer', async (visit) => {
      const { email } = await accountOf(visit)
      await visit.core.accounts.setReviewer({ email, reviewer: visit.form('reviewer') === 'yes' })
      return `/operator/accounts/${uuid(visit)}?done=saved`
    })
    .operator('GET /operator/reports', async (visit) =>
      reportsPage(visit, (await visit.core.operator.listGameReports({})).reports, { done: notice(visit, done) }),
    )
    .operator(
      'POST /operator/reports/:id/close',
      async (visit) => {
        await visit.core.operator.closeGameReport({ reportId: uuid(visit), note: visit.form('note') })
        return '/operator/reports?done=closed'
      },
      async (visit, sent) => {
        const { reports } = await visit.core.operator.listGameReports({})
        return reportsPage(visit, reports, { ...sent, reportId: uuid(visit) })
      },
    )
    .operator('GET /operator/mail', async (visit) =>
      mailPage(visit, await visit.core.notices.listMails({}), notice(visit, done)),
    )
    .operator('POST /operator/mail/retry', async (visit) => {
      await visit.core.notices.retryMails({})
      return '/operator/mail?done=retried'
    })
    .operator('GET /operator/activity', async (visit) => {
      const { query, core } = visit
      const filter = { action: query('action').slice(0, 100), actor: query('person').slice(0, 320), ...dayOf(query) }
      const page = { position: query('after').slice(0, 36), limit: 50 }
      return operatedActivityPage(
        visit,
        await core.audit.listEntries({ filter, page, studio: query('studio').slice(0, 320) }),
      )
    })
    .operator(
      'POST /operator/accounts/:id/may-own',
      async (visit) => {
        const account = await accountOf(visit)
        const studios = /^\d{1,4}$/.test(visit.form('studios')) ? Number(visit.form('studios')) : 0
        await visit.core.members.allowStudios({ email: account.email, studios })
        return `/operator/accounts/${account.accountId}?done=saved`
      },
      async (visit, sent) => operatedAccountPage(visit, await accountOf(visit), sent),
    )
}

const studioOf = (visit: WithAccount) => visit.core.operator.getStudio({ studio: uuid(visit) })

async function oneStudio(visit: WithAccount, sent?: Sent): Promise<Html> {
  const { quotas } = visit.core
  const [studio, usage, { limits }] = await Promise.all([
    studioOf(visit),
    quotas.getStudioUsage({ studio: uuid(visit) }),
    quotas.listLimits({}),
  ])
  const changeable = limits.filter(({ anchor }) => anchor === 'games' || anchor === 'storage')
  return studioPage(visit, studio, usage, changeable, sent, notice(visit, done))
}

/** @throws PageFailure not found */
async function accountOf(visit: WithAccount): Promise<OperatedAccount> {
  const accountId = uuid(visit)
  const { accounts } = await visit.core.operator.findAccounts({ find: accountId })
  const account = accounts.find((one) => one.accountId === accountId)
  if (!account) throw new PageFailure(Reason.NOT_FOUND, 'There is no account with this id.')
  return account
}

/** A number, or bytes in the units of the limits; undefined: the usual limit. */
function limitIn(text: string): bigint | undefined | 'wrong' {
  if (text.trim() === '') return undefined
  const [, amount, unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?) ?([kmgt]?)(?:i?b)?$/i.exec(text.trim()) ?? []
  const value = Number(amount) * 1024 ** ['', 'k', 'm', 'g', 't'].indexOf(unit.toLowerCase())
  return Number.isSafeInteger(value) ? BigInt(value) : 'wrong'
}
