import { cellsOver } from './records/cells/cells.ts'
import { formerKeys } from './analytics/rules/former-key.ts'
import { countingOf } from './analytics/store/cell/counts.ts'
import { formerLearners } from './analytics/store/cell/former-learners.ts'
import { countsOfCells } from './analytics/store/cell/counts-of-cells.ts'
import type { LearnerKeys } from './records/store/cell/named-learners.ts'
import { done, openDatabase, sql, type Database, type DatabaseOptions } from './process/database/database.ts'
import { recordStores } from './records/store/stores.ts'
import { analyticsStores } from './analytics/store/stores.ts'
import { accountStores } from './accounts/store/stores.ts'
import { gameStores } from './games/store/stores.ts'
import { connectionStores } from './connections/store/stores.ts'
import { channel } from './games/store/sandbox-events.ts'
import type { StandbyServer } from './records/cells/standby.ts'
import { statusStore } from './records/store/status.ts'
import { migrate, newestSchema } from './process/database/migrate.ts'
import { migrateAs } from './process/database/owner.ts'
import { notifications } from './process/database/notifications.ts'
import { serversOf, type OpenServers, type Servers } from './records/cells/servers.ts'

export type Store = ReturnType<typeof openStore>

/**
 * Everything that knows SQL, over one pool of connections for each cell.
 * @param options `ownerUrl`: the same database as the role that owns the tables; undefined: core's own role owns them;
 * `secretKeys`: of keyed hashes
 */
export function openStore(
  {
    ownerUrl,
    secretKeys,
    ...options
  }: DatabaseOptions & { ownerUrl?: string | undefined; secretKeys?: readonly Uint8Array[] },
  servers: Servers = { urls: () => new Map() },
  standbyUrls: readonly string[] = [],
) {
  const database = openDatabase(options)
  const sandboxNotices = notifications(channel, options)
  const store = storeOver(
    database,
    (cell) => openDatabase({ ...options, cell }),
    serversOf(options, servers),
    secretKeys,
    standbyUrls.map((url) => standbyAt(url, options, servers.outageOf)),
  )
  return {
    ...store,
    migrate: () => migrateAs(ownerUrl, database),
    /** Notifies of new events of sandbox sessions, by session id, from any core. */
    sandboxNotices,
    close: async () => {
      sandboxNotices.close()
      await store.close()
    },
  }
}

/**
 * Everything that knows SQL, over a database that is already open.
 * @param open connections for another cell than the first, on the same server
 */
export function storeOver(
  database: Database,
  open: (cell: number) => Database = onlyOne,
  servers: OpenServers = noServers,
  secretKeys: readonly Uint8Array[] = [],
  standbys: readonly StandbyServer[] = [],
) {
  const former = formerLearners(formerKeys(secretKeys))
  const cells = cellsOver(database, open, servers, countingOf(former), standbys)
  const counts = countsOfCells(database, cells.eachCell, former)
  const games = gameStores(database)
  const ping = sql('ping')`select 1`
  return {
    migrate: () => migrate(database),
    /** The version of the schema that this program knows. */
    newestSchema,
    /** Resolves when the database answers. */
    ping: () => done(database.run(ping, [])),
    /** Runs `work` in one transaction; calls that get its `run` are part of it. */
    transaction: database.transaction,
    ...recordStores(database),
    ...analyticsStores(database),
    ...accountStores(database),
    ...games,
    ...connectionStores(database),
    ...cells,
    ...counts,
    learners: {
      ...games.learners,
      sweep: (limit: number, keysOf: (id: string) => LearnerKeys) =>
        games.learners.sweep(limit, keysOf, cells.learnerData.unknownElsewhere),
    },
    status: statusStore(database, { ...cells, through: cells.throughInReach }),
  }
}

/** A standby whose reads end early: the primary answers them then. */
function standbyAt(url: string, options: DatabaseOptions, outageOf: Servers['outageOf']): StandbyServer {
  const { host } = new URL(url)
  const name = host || new URLSearchParams(url.split('?')[1]).get('host') || 'a socket'
  const outage = outageOf?.(name)
  const short = { wait: 1_000, statementTimeout: 2_000 }
  return { name, open: (cell, accept) => openDatabase({ ...options, ...short, url, cell, accept, outage }) }
}

const noServers: OpenServers = { has: () => false, within: onlyOne, open: onlyOne, add: onlyOne }

function onlyOne(cell: unknown): never {
  throw new Error(`this store has no connections to cell ${cell}`)
}
