import { hostname } from 'node:os'
import type { HandlerContext } from '@connectrpc/connect'
import { OperatorService } from '../../../gen/lrs/v1/operator_pb.js'
import { findStudio } from '../../accounts/access/find-studio.ts'
import { endAccountSessions, setAdmin, suspendAccount, suspendStudio } from '../../accounts/command/suspend.ts'
import type { Core } from '../../context.ts'
import type { OperatedAccount, OperatedStudio } from '../../accounts/store/operator.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { forwardMessage } from '../../connections/service/forwards.ts'
import { closeReport } from '../../games/command/report-game.ts'
import { summaryOf } from '../../games/service/games.ts'
import { membershipMessage } from '../../accounts/service/roles.ts'
import { reads, account, studio } from '../../process/methods/audit-entries.ts'
import { isAdmin, person } from '../../process/methods/developer.ts'

/** Games in the list of the largest ones. */
const biggest = 20

const by = async (core: Core, context: HandlerContext) => (isAdmin(core, context) ? 'admin' : person(core, context))

/** All studios and accounts, storage and work beside calls, for operators; `requireAdmin` lets in no other. */
export const operatorService = service(OperatorService, {
  findStudios: method({ right: 'admin', audit: reads }, async ({ store }, { find }) => {
    const { rows, total } = await store.operator.studios(asText(find))
    return { studios: rows.map(studioMessage), total }
  }),
  getStudio: method({ right: 'admin', audit: reads }, async ({ store }, { studio: name }) => {
    const { studioId, studio } = await findStudio(store, name)
    const [found, games] = await Promise.all([store.operator.studio(studioId), store.games.list(studio, '')])
    return { studio: studioMessage(found!), games: games.map(summaryOf) }
  }),
  suspendStudio: method(
    {
      right: 'admin',
      audit: {
        action: 'studio.suspend',
        subject: studio,
        details: ({ suspended }) => ({ suspended }),
      },
    },
    suspendStudio,
  ),
  findAccounts: method({ right: 'admin', audit: reads }, async ({ store }, { find, limit }) => {
    const { rows, total } = await store.operator.accounts(asText(find).toLowerCase(), limit || undefined)
    return { accounts: rows.map(accountMessage), total }
  }),
  suspendAccount: method(
    {
      right: 'admin',
      audit: {
        action: 'account.suspend',
        subject: ({ accountId }) => ({ kind: 'account', id: accountId }),
        details: ({ suspended }) => ({ suspended }),
      },
    },
    async (core, { accountId, suspended }, context) =>
      suspendAccount(core.store, accountId, suspended, await by(core, context)),
  ),
  endAccountSessions: method(
    {
      right: 'admin',
      audit: {
        action: 'account.end-sessions',
        subject: ({ accountId }) => ({ kind: 'account', id: accountId }),
        details: (_, done) => ({ sessions: done?.sessions }),
      },
    },
    endAccountSessions,
  ),
  setAdmin: method(
    { right: 'none', audit: { action: 'account.set-admin', subject: account, details: ({ admin }) => ({ admin }) } },
    setAdmin,
  ),
  getStorage: method({ right: 'admin', audit: reads }, async ({ store }) => {
    const [of, games] = await Promise.all([store.operator.figures(), store.operator.biggest(biggest)])
    return {
      ...of,
      builds: { count: of.builds, bytes: of.buildBytes },
      files: { count: of.files, bytes: of.fileBytes },
      uploads: { count: of.uploads, bytes: of.uploadBytes },
      biggest: games,
    }
  }),
  findForwards: method({ right: 'admin', audit: reads }, async ({ store }, { find }) => {
    const found = await store.operatedForwards.find(asText(find))
    return {
      forwards: found.map((one) => ({ ...one, forward: forwardMessage(one) })),
      total: found[0]?.total ?? 0,
      failing: found[0]?.failing ?? 0,
    }
  }),
  listGameReports: method({ right: 'admin', audit: reads }, async ({ store }) => ({
    reports: await store.reports.list(),
  })),
  closeGameReport: method(
    {
      right: 'admin',
      audit: { action: 'report.close', details: ({ reportId }, done) => ({ report: done && reportId }) },
    },
    closeReport,
  ),
  listJobs: method({ right: 'admin', audit: reads }, (core) => ({
    jobs: core.jobs.list().map(({ every, started, ended, ...job }) => ({
      ...job,
      everySeconds: Math.round(every / 1000),
      began: started / 1000,
      tookMs: Math.round(ended - started),
    })),
    upSince: Date.now() / 1000 - process.uptime(),
    core: `${hostname()}, process ${process.pid}`,
  })),
})

/** As it can be looked for: Postgres has no text with U+0000. */
const asText = (find: string): string => find.replaceAll('\0', '').trim()

const studioMessage = (studio: OperatedStudio) => ({ ...studio, members: studio.members.map(membershipMessage) })

const accountMessage = (account: OperatedAccount) => ({
  ...account,
  studios: account.studios.map(membershipMessage),
})
