import { cellOver } from './cell/cell.ts'
import { openDatabase, type Database, type DatabaseOptions } from './database.ts'
import { directoryOver } from './directory/directory.ts'
import { channel } from './directory/sandbox-events.ts'
import { statusStore } from './directory/status.ts'
import { migrate, newestSchema } from './migrate.ts'
import { notifications } from './notifications.ts'

export type Store = ReturnType<typeof openStore>

/** Everything that knows SQL, over one pool of connections. */
export function openStore(options: DatabaseOptions) {
  const database = openDatabase(options)
  const sandboxNotices = notifications(channel, options)
  return {
    ...storeOver(database),
    /** Notifies of new events of sandbox sessions, by session id, from any core. */
    sandboxNotices,
    close: async () => {
      sandboxNotices.close()
      await database.close()
    },
  }
}

/** Everything that knows SQL, over a database that is already open. */
export function storeOver(database: Database) {
  const cell = cellOver(database)
  const ping = { name: 'ping', text: 'select 1' }
  return {
    migrate: () => migrate(database),
    /** The version of the schema that this program knows. */
    newestSchema,
    /** Resolves when the database answers. */
    ping: async () => void (await database.run(ping, [])),
    /** State of the connection pool. */
    pool: database.pool,
    /** Runs `work` in one transaction; calls that get its `run` are part of it. */
    transaction: database.transaction,
    ...directoryOver(database),
    ...cell,
    status: statusStore(database, cell.through),
  }
}
