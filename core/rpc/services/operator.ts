import { hostname } from 'node:os'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { OperatorService } from '../../../gen/lrs/v1/operator_pb.js'
import { findStudio } from '../../access/find-studio.ts'
import { endAccountSessions, setAdmin, suspendAccount, suspendStudio } from '../../command/accounts/suspend.ts'
import type { Core } from '../../context.ts'
import type { OperatedAccount, OperatedStudio } from '../../store/directory/operator.ts'
import { isAdmin, person } from './developer.ts'
import { forwardMessage } from './forwards.ts'
import { summaryOf } from './games.ts'
import { roleMessages } from '../access/roles.ts'

/** Games in the list of the largest ones. */
const biggest = 20

/** All studios and accounts, storage and work beside calls, for operators; `requireAdmin` lets in no other. */
export function operatorService(core: Core): ServiceImpl<typeof OperatorService> {
  const { store, jobs } = core
  const by = async (context: HandlerContext) => (isAdmin(core, context) ? 'admin' : person(core, context))
  return {
    async findStudios({ find }) {
      const { rows, total } = await store.operator.studios(asText(find))
      return { studios: rows.map(studioMessage), total }
    },
    async getStudio({ studio: name }) {
      const { studioId, studio } = await findStudio(store, name)
      const [found, games] = await Promise.all([store.operator.studio(studioId), store.games.list(studio, '')])
      return { studio: studioMessage(found!), games: games.map(summaryOf) }
    },
    async suspendStudio({ studio, suspended, note }) {
      await suspendStudio(store, studio, suspended, note)
      return {}
    },
    async findAccounts({ find, limit }) {
      const { rows, total } = await store.operator.accounts(asText(find).toLowerCase(), limit || undefined)
      return { accounts: rows.map(accountMessage), total }
    },
    async suspendAccount({ accountId, suspended }, context) {
      await suspendAccount(store, accountId, suspended, await by(context))
      return {}
    },
    endAccountSessions: async ({ accountId }) => ({ sessions: await endAccountSessions(store, accountId) }),
    async setAdmin({ email, admin }) {
      await setAdmin(store, email, admin)
      return {}
    },
    async getStorage() {
      const [of, games] = await Promise.all([store.operator.figures(), store.operator.biggest(biggest)])
      return {
        builds: { count: of.builds, bytes: BigInt(of.buildBytes) },
        files: { count: of.files, bytes: BigInt(of.fileBytes) },
        uploads: { count: of.uploads, bytes: BigInt(of.uploadBytes) },
        garbage: of.garbage,
        garbageDue: of.garbageDue,
        biggest: games.map(({ builds, files, ...game }) => ({ ...game, builds: BigInt(builds), files: BigInt(files) })),
      }
    },
    async findForwards({ find }) {
      const found = await store.operator.forwards(asText(find))
      return {
        forwards: found.map((one) => ({
          forward: forwardMessage(one),
          gameName: one.gameName,
          studioId: one.studioId ?? '',
          studioName: one.studioName ?? '',
        })),
        total: found[0]?.total ?? 0,
        failing: found[0]?.failing ?? 0,
      }
    },
    listJobs: () => ({
      jobs: jobs.list().map(({ name, every, running, runs, failures, started, ended, problem }) => ({
        name,
        everySeconds: Math.round(every / 1000),
        running,
        runs: BigInt(runs),
        failures: BigInt(failures),
        began: BigInt(Math.floor(started / 1000)),
        tookMs: BigInt(Math.round(ended - started)),
        problem,
      })),
      upSince: BigInt(Math.floor(Date.now() / 1000 - process.uptime())),
      core: `${hostname()}, process ${process.pid}`,
    }),
  }
}

/** As it can be looked for: Postgres has no text with U+0000. */
const asText = (find: string): string => find.replaceAll('\0', '').trim()

const studioMessage = ({ created, suspended, bytes, members, ...studio }: OperatedStudio) => ({
  ...studio,
  created: BigInt(created),
  suspended: BigInt(suspended),
  bytes: BigInt(bytes),
  members: members.map(({ role, ...member }) => ({ ...member, role: roleMessages[role] })),
})

const accountMessage = ({ created, suspended, lastUsed, verified, ends, studios, ...account }: OperatedAccount) => ({
  ...account,
  created: BigInt(created),
  suspended: BigInt(suspended),
  lastUsed: BigInt(lastUsed),
  verified: BigInt(verified),
  ends: BigInt(ends),
  studios: studios.map(({ role, ...studio }) => ({ ...studio, role: roleMessages[role] })),
})
