import { Router } from 'express'
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
import { studioPage, studiosPage, suspendStudioPage } from '../../pages/accounts/operator/operator-studios.ts'
import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import { dayOf } from './activity.ts'
import { operator, refused, seeOther, uuid, type Portal, type WithAccount } from '../../web/visit.ts'

/** Notices by the parameter `done` of the address. */
const done: Readonly<Record<string, string>> = {
  suspended: 'Suspended.',
  resumed: 'The suspension is lifted.',
  saved: 'Saved.',
  retried: 'They are tried again now.',
  ended: 'All sessions of the account have ended.',
}
const doneIn = ({ query }: WithAccount): string | undefined =>
  Object.hasOwn(done, query('done')) ? done[query('done')] : undefined

/** Studios, accounts, mail and the audit log, for those who run the service. Core lets in admins only. */
export function operatorAccounts(portal: Portal): Router {
  const show = (page: (visit: WithAccount) => Promise<Html>) => operator(portal, page)
  /** Does something and goes to a page that says so. */
  const act = (perform: (visit: WithAccount) => Promise<string>) =>
    operator(portal, async (visit) => seeOther(visit, await perform(visit)))

  return Router()
    .get(
      '/operator/studios',
      show(async (visit) => studiosPage(visit, await visit.core.operator.findStudios({ find: visit.query('find') }))),
    )
    .get(
      '/operator/studios/:id',
      show((visit) => oneStudio(visit)),
    )
    .get(
      '/operator/studios/:id/suspend',
      show(async (visit) => suspendStudioPage(visit, (await studioOf(visit)).studio!)),
    )
    .post(
      '/operator/studios/:id/suspend',
      operator(portal, async (visit) => {
        const studio = uuid(visit)
        try {
          await visit.core.operator.suspendStudio({ studio, suspended: true, note: visit.form('note') })
          seeOther(visit, `/operator/studios/${studio}?done=suspended`)
        } catch (error) {
          return suspendStudioPage(visit, (await studioOf(visit)).studio!, refused(visit, error))
        }
      }),
    )
    .post(
      '/operator/studios/:id/resume',
      act(async (visit) => {
        await visit.core.operator.suspendStudio({ studio: uuid(visit), suspended: false })
        return `/operator/studios/${uuid(visit)}?done=resumed`
      }),
    )
    .post(
      '/operator/studios/:id/trusted',
      act(async (visit) => {
        await visit.core.accounts.setTrusted({ email: uuid(visit), trusted: visit.form('trusted') === 'yes' })
        return `/operator/studios/${uuid(visit)}?done=saved`
      }),
    )
    .post(
      '/operator/studios/:id/quotas',
      operator(portal, async (visit) => {
        const [studio, limit] = [uuid(visit), limitIn(visit.form('limit'))]
        try {
          if (limit === 'wrong')
            throw new PageFailure(Reason.INVALID, 'limit: must be a number, or bytes such as 40 GB', { path: 'limit' })
          await visit.core.quotas.setQuota({ studio, name: visit.form('name'), limit })
          seeOther(visit, `/operator/studios/${studio}?done=saved`)
        } catch (error) {
          return oneStudio(visit, refused(visit, error))
        }
      }),
    )
    .get(
      '/operator/accounts',
      show(async (visit) => accountsPage(visit, await visit.core.operator.findAccounts({ find: visit.query('find') }))),
    )
    .get(
      '/operator/accounts/:id',
      show(async (visit) => operatedAccountPage(visit, await accountOf(visit), { done: doneIn(visit) })),
    )
    .get(
      '/operator/accounts/:id/suspend',
      show(async (visit) => suspendAccountPage(visit, await accountOf(visit))),
    )
    .get(
      '/operator/accounts/:id/end-sessions',
      show(async (visit) => endSessionsPage(visit, await accountOf(visit))),
    )
    .post(
      '/operator/accounts/:id/suspend',
      act(async (visit) => {
        await visit.core.operator.suspendAccount({ accountId: uuid(visit), suspended: true })
        return `/operator/accounts/${uuid(visit)}?done=suspended`
      }),
    )
    .post(
      '/operator/accounts/:id/resume',
      act(async (visit) => {
        await visit.core.operator.suspendAccount({ accountId: uuid(visit), suspended: false })
        return `/operator/accounts/${uuid(visit)}?done=resumed`
      }),
    )
    .post(
      '/operator/accounts/:id/end-sessions',
      act(async (visit) => {
        await visit.core.operator.endAccountSessions({ accountId: uuid(visit) })
        return `/operator/accounts/${uuid(visit)}?done=ended`
      }),
    )
    .post(
      '/operator/accounts/:id/reviewer',
      act(async (visit) => {
        const { email } = await accountOf(visit)
        await visit.core.accounts.setReviewer({ email, reviewer: visit.form('reviewer') === 'yes' })
        return `/operator/accounts/${uuid(visit)}?done=saved`
      }),
    )
    .get(
      '/operator/mail',
      show(async (visit) => mailPage(visit, await visit.core.notices.listMails({}), doneIn(visit))),
    )
    .post(
      '/operator/mail/retry',
      act(async (visit) => {
        await visit.core.notices.retryMails({})
        return '/operator/mail?done=retried'
      }),
    )
    .get(
      '/operator/activity',
      show(async (visit) => {
        const { query, core } = visit
        const filter = { action: query('action').slice(0, 100), actor: query('person').slice(0, 320), ...dayOf(query) }
        const page = { position: query('after').slice(0, 36), limit: 50 }
        return operatedActivityPage(
          visit,
          await core.audit.listEntries({ filter, page, studio: query('studio').slice(0, 320) }),
        )
      }),
    )
    .post(
      '/operator/accounts/:id/may-own',
      operator(portal, async (visit) => {
        const account = await accountOf(visit)
        try {
          const studios = /^\d{1,4}$/.test(visit.form('studios')) ? Number(visit.form('studios')) : 0
          await visit.core.members.allowStudios({ email: account.email, studios })
          seeOther(visit, `/operator/accounts/${account.accountId}?done=saved`)
        } catch (error) {
          return operatedAccountPage(visit, account, { failure: refused(visit, error) })
        }
      }),
    )
}

const studioOf = (visit: WithAccount) => visit.core.operator.getStudio({ studio: uuid(visit) })

async function oneStudio(visit: WithAccount, failure?: Failure): Promise<Html> {
  const { quotas } = visit.core
  const [studio, usage, { limits }] = await Promise.all([
    studioOf(visit),
    quotas.getStudioUsage({ studio: uuid(visit) }),
    quotas.listLimits({}),
  ])
  const changeable = limits.filter(({ anchor }) => anchor === 'games' || anchor === 'storage')
  return studioPage(visit, studio, usage, changeable, { failure, values: visit.form, done: doneIn(visit) })
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
