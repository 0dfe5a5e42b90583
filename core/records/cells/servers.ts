import type { Outage } from '../../process/outage.ts'
import { Refusal } from '../../process/refusal.ts'
import { otherServer } from './other-server.ts'
import { sql, openDatabase, type Database, type DatabaseOptions } from '../../process/database/database.ts'
import { migrate } from '../../process/database/migrate.ts'

/** Servers that have cells, beside that of the directory. */
export interface Servers {
  /** Addresses by name, as they are now. */
  readonly urls: () => ReadonlyMap<string, string>
  /** Hears what a server does not answer. */
  readonly outageOf?: (server: string) => Outage
}

const cellIsHere = sql('cell_is_here')`select from cell where number = $1`
const addHere = sql('cell_add_here')`select add_cell($1) as number`

/** Opens cells on these servers. */
export function serversOf(options: DatabaseOptions, { urls, outageOf }: Servers) {
  const optionsOf = (server: string): DatabaseOptions => ({
    ...options,
    // nothing connects to a server without an address: see prepare()
    url: urls().get(server) ?? options.url,
    outage: outageOf?.(server),
  })

  /** Runs `work` on a new connection to the tables that all cells of the server share. */
  async function within<T>(server: string, work: (database: Database) => Promise<T>): Promise<T> {
    const database = openDatabase({ ...optionsOf(server), connections: 2, statementTimeout: 0 })
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  }

  async function prepare(server: string, cell: number): Promise<void> {
    if (!urls().has(server))
      throw unusable(server, `LRS_CELL_SERVERS of this core has no address of the server "${server}"`)
    const there = await within(server, async (database) => {
      await brought(server, database)
      return (await database.run(cellIsHere, [cell])).length === 1
    })
    if (!there)
      throw unusable(server, `it has no cell ${cell}: LRS_CELL_SERVERS names another database than when it was added`)
  }

  function unusable(server: string, why: string, cause?: unknown): Refusal {
    outageOf?.(server).failed(why)
    const text = 'The server of this cell cannot be used at the moment; the log of core says why.'
    return new Refusal('unavailable', text, { cause, away: true })
  }

  /** Brings the server's tables to this program's version. */
  async function brought(server: string, database: Database): Promise<void> {
    try {
      await migrate(database)
    } catch (error) {
      throw unusable(server, (error as Error).message, error)
    }
  }

  return {
    has: (server: string): boolean => urls().has(server),

    /** Runs `work` on a new connection to the tables that all cells of the server share, as they are. */
    within,

    /** Connections that work for a cell on its server, whose name and address may change. */
    open: (cell: number, server: () => string): Database =>
      otherServer(
        () => urls().get(server()),
        () => openDatabase({ ...optionsOf(server()), cell }),
        () => prepare(server(), cell),
      ),

    /** Makes the schema of a cell on a server; false: there is one, with statements. */
    add: (server: string, cell: number): Promise<boolean> =>
      within(server, async (database) => {
        await brought(server, database)
        const [row] = await database.transaction((run) => run<{ number: number | null }>(addHere, [cell]))
        return row!.number !== null
      }),
  }
}

export type OpenServers = ReturnType<typeof serversOf>
