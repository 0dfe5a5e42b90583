import type { Postgres } from '../start/postgres.ts'
import type { ServerSettings } from '../start/postgres/server-settings.ts'
import type { Arguments } from './arguments.ts'
import type { Line } from './suite.ts'

/** One run of the bench. */
export interface Run {
  options: Arguments
  /** Folder for logs, profiles and temporary data. */
  folder: string
  /** Data directory of Postgres. */
  dataDir: string
  /** Results; they are also shown if the run fails. */
  lines: Line[]
  /** Starts Postgres on `dataDir`, and first stops the one that runs. The end of the run stops it, too. */
  start(settings?: ServerSettings): Promise<Postgres>
  /** A new seed at each call, so that no statement is made twice. */
  seed(): number
}
