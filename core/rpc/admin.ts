import type { ServiceImpl } from '@connectrpc/connect'
import { Severity, type AdminService } from '../../gen/lrs/v1/admin_pb.js'
import { setScopes } from '../command/credentials.ts'
import type { Core } from '../context.ts'
import { check, type Finding } from '../query/check.ts'
import { statusOf } from '../query/status.ts'
import { Refusal } from '../refusal.ts'
import { version } from '../version.ts'
import { scopeMessage, scopeOf } from './scopes.ts'

const severities: Record<Finding['severity'], Severity> = { ok: Severity.OK, warning: Severity.WARNING, error: Severity.ERROR }

/** For those who run the store. */
export function adminService(core: Core): Partial<ServiceImpl<typeof AdminService>> {
  const { store } = core
  return {
    async listCredentials({ gameId }) {
      const credentials = await store.credentials.ofGame(gameId)
      if (!credentials) throw new Refusal('not-found', 'There is no game with this id.')
      return {
        credentials: credentials.map(({ key, scopes, issued, rotated, revoked }) => ({
          key, scopes: scopes.map(scopeMessage), issued: BigInt(issued), rotated: BigInt(rotated), revoked: BigInt(revoked),
        })),
      }
    },
    setScopes: async ({ key, scopes }) => ({ scopes: (await setScopes(store, key, scopes.map(scopeOf))).map(scopeMessage) }),
    async getStatus() {
      const { tables, databaseSize, statementsToday, lastStored, consistentThrough, lag, games, studios, ...rest } = await statusOf(store)
      return {
        ...rest, version, nodeVersion: process.versions.node, uptime: BigInt(Math.floor(process.uptime())),
        databaseSize: BigInt(databaseSize), statementsToday: BigInt(statementsToday), lastStored: BigInt(lastStored),
        consistentThrough: BigInt(consistentThrough), lag: BigInt(lag), games: BigInt(games), studios: BigInt(studios),
        tables: tables.map(({ name, rows, size, indexSize }) => ({ name, rows: BigInt(Math.round(rows)), size: BigInt(size), indexSize: BigInt(indexSize) })),
        rates: core.rates.lastMinute().map(({ call, count, failed }) => ({ call, count: BigInt(count), failed: BigInt(failed) })),
        followers: core.followers.count(),
      }
    },
    check: async ({ now }) => ({ findings: (await check(core, Number(now))).map((finding) => ({ ...finding, severity: severities[finding.severity] })) }),
  }
}
