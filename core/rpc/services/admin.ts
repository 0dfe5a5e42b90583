import type { ServiceImpl } from '@connectrpc/connect'
import { Severity, type AdminService } from '../../../gen/lrs/v1/admin_pb.js'
import { learnerOf } from '../../access/learner.ts'
import { setScopes } from '../../command/games/credentials.ts'
import type { Core } from '../../context.ts'
import { sealSecrets } from '../../command/secrets/seal-secrets.ts'
import { listCredentials } from '../../query/credentials.ts'
import { callCounts } from '../../metrics/meters.ts'
import { check, type Finding } from '../../query/check.ts'
import { statusOf } from '../../query/status.ts'
import { version } from '../../version.ts'
import { callOf } from '../call.ts'
import { connectErrorOf } from '../failure.ts'
import { erased, exported } from '../relay/held.ts'
import { importAll } from './import.ts'
import { scopeMessage, scopeOf } from '../access/scopes.ts'

const severities: Record<Finding['severity'], Severity> = {
  ok: Severity.OK,
  warning: Severity.WARNING,
  error: Severity.ERROR,
}

/** Administration of the store. */
export function adminService(core: Core): ServiceImpl<typeof AdminService> {
  const { store } = core
  return {
    async listCredentials({ gameId }) {
      const credentials = await listCredentials(store, gameId)
      return {
        credentials: credentials.map(({ key, scopes, issued, rotated, revoked }) => ({
          key,
          scopes: scopes.map(scopeMessage),
          issued: BigInt(issued),
          rotated: BigInt(rotated),
          revoked: BigInt(revoked),
        })),
      }
    },
    setScopes: async ({ key, scopes }) => ({
      scopes: (await setScopes(store, key, scopes.map(scopeOf))).map(scopeMessage),
    }),
    async getStatus() {
      const { tables, databaseSize, statementsToday, lastStored, consistentThrough, lag, games, studios, ...rest } =
        await statusOf(store)
      return {
        ...rest,
        version,
        nodeVersion: process.versions.node,
        uptime: BigInt(Math.floor(process.uptime())),
        databaseSize: BigInt(databaseSize),
        statementsToday: BigInt(statementsToday),
        lastStored: BigInt(lastStored),
        consistentThrough: BigInt(consistentThrough),
        lag: BigInt(lag),
        games: BigInt(games),
        studios: BigInt(studios),
        tables: tables.map(({ name, rows, size, indexSize }) => ({
          name,
          rows: BigInt(Math.round(rows)),
          size: BigInt(size),
          indexSize: BigInt(indexSize),
        })),
        rates: (await callCounts(core.meters)).map(({ call, count, failed }) => ({
          call,
          count: BigInt(count),
          failed: BigInt(failed),
        })),
        followers: core.followers.count() + core.pageFollowers.count(),
      }
    },
    check: async ({ now }) => ({
      findings: (await check(core, Number(now))).map((finding) => ({
        ...finding,
        severity: severities[finding.severity],
      })),
    }),
    async *exportLearner({ agent }, context) {
      try {
        yield* exported(core, learnerOf(agent, core.config))
      } catch (error) {
        if (context.signal.aborted) return
        // errors within a stream do not pass through the interceptors
        throw connectErrorOf(error, core.log, { method: 'ExportLearner' })
      }
    },
    eraseLearner: ({ agent, preview }) => erased(core, learnerOf(agent, core.config), preview),
    async shareNames() {
      await store.tenancy.share()
      core.log.info('cores may be started with LRS_TENANCY=shared')
      return {}
    },
    async sealSecrets() {
      const { sealed, kept, unreadable } = await sealSecrets(core)
      core.log.info({ sealed, kept, unreadable: unreadable.length }, 'secrets were sealed with the first key')
      return { sealed, kept, unreadable: unreadable.slice(0, 100), unreadableCount: unreadable.length }
    },
    importStatements: (messages, context) =>
      core.jobs.run('imports', 0, () => importAll(core, messages, callOf(context))),
  }
}
