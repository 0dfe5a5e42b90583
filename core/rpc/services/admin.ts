import { Severity, AdminService } from '../../../gen/lrs/v1/admin_pb.js'
import { learnerOf } from '../../records/access/learner.ts'
import { setScopes } from '../../games/command/credentials.ts'
import { sealSecrets } from '../../accounts/command/seal-secrets.ts'
import { listCredentials } from '../../games/query/games.ts'
import { callCounts } from '../../process/metrics/meters.ts'
import { check } from './check.ts'
import { version } from '../../../shared/version.ts'
import { callOf } from '../../process/methods/call.ts'
import { connectErrorOf } from '../../process/methods/failure.ts'
import { erased, exported } from '../../accounts/service/held.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { importAll } from '../../connections/service/import.ts'
import { scopeMessage, scopeOf } from '../../games/service/scopes.ts'
import { reads, credential, scopes, numberOf, erasure } from '../../process/methods/audit-entries.ts'
import type { Store } from '../../store.ts'
import { byName } from '../../process/methods/enums.ts'

const severities = byName(Severity)

/** Administration of the store. */
export const adminService = service(AdminService, {
  listCredentials: method({ right: 'none', audit: reads }, async ({ store }, { gameId }) => {
    const credentials = await listCredentials(store, gameId)
    return {
      credentials: credentials.map((one) => ({ ...one, scopes: one.scopes.map(scopeMessage) })),
    }
  }),
  setScopes: method(
    { right: 'none', audit: { action: 'credential.set-scopes', subject: credential, details: scopes } },
    async ({ store }, { key, scopes }) => ({
      scopes: (await setScopes(store, key, scopes.map(scopeOf))).map(scopeMessage),
    }),
  ),
  getStatus: method({ right: 'admin', audit: reads }, async (core) => ({
    ...(await statusOf(core.store)),
    version,
    nodeVersion: process.versions.node,
    uptime: process.uptime(),
    rates: await callCounts(core.meters),
    followers: core.followers.count() + core.pageFollowers.count(),
  })),
  check: method({ right: 'admin', audit: reads }, async (core, { now }) => ({
    findings: (await check(core, Number(now))).map((finding) => ({
      ...finding,
      severity: severities[finding.severity],
    })),
  })),
  exportLearner: method(
    {
      right: 'none',
      // the log names no learner: neither those whose data was exported nor those who were erased
      audit: 'learner.export',
    },
    async function* (core, { agent }, context) {
      try {
        yield* exported(core, learnerOf(agent, core.config))
      } catch (error) {
        if (context.signal.aborted) return
        // errors within a stream do not pass through the interceptors
        throw connectErrorOf(error, core.log, { method: 'ExportLearner' })
      }
    },
  ),
  eraseLearner: method({ right: 'none', audit: erasure }, (core, { agent, preview }) =>
    erased(core, learnerOf(agent, core.config), preview),
  ),
  shareNames: method({ right: 'none', audit: 'store.share-names' }, async (core) => {
    await core.store.tenancy.share()
    core.log.info('cores may be started with LRS_TENANCY=shared')
  }),
  sealSecrets: method({ right: 'none', audit: 'store.seal-secrets' }, async (core) => {
    const { sealed, kept, unreadable } = await sealSecrets(core)
    core.log.info({ sealed, kept, unreadable: unreadable.length }, 'secrets were sealed with the first key')
    return { sealed, kept, unreadable: unreadable.slice(0, 100), unreadableCount: unreadable.length }
  }),
  importStatements: method(
    {
      who: ['service', 'admin'],
      right: 'none',
      audit: {
        action: 'statements.import',
        details: (_, done) => ({ stored: numberOf(done?.stored), skipped: numberOf(done?.skipped) }),
      },
    },
    (core, messages, context) => core.jobs.run('imports', 0, () => importAll(core, messages, callOf(context))),
  ),
})

/** Figures of the store, and how far its order is behind the clock of the database. */
async function statusOf({ status }: Store) {
  const [read, tables] = await Promise.all([status.read(), status.tables()])
  const consistentThrough = Math.max(await status.consistentThrough(), read.lastStored)
  const lag = Math.max(0, Math.round((await status.clock()) - consistentThrough))
  const { limit, used, free, waiting } = status.pool()
  return { ...read, tables, consistentThrough, lag, pool: { limit, open: used + free, idle: free, waiting } }
}
