import type { Postgres } from '../start/postgres.ts'
import type { ServerSettings } from '../start/postgres/server-settings.ts'
import type { Arguments } from './arguments.ts'
import type { Line } from './suite.ts'

/** One run of the bench. */
export interface Run {
  options: Arguments
  /** For logs, profiles and throw-away data. */
  folder: string
  /** Of Postgres. */
  dataDir: string
  /** What was measured; what is in it when a run breaks off is shown. */
  lines: Line[]
  /** Starts Postgres on the data folder of the run; one that runs is stopped before. It stops with the run. */
  start(settings?: ServerSettings): Promise<Postgres>
  /** Another one each time, so that no statement comes twice. */
  seed(): number
}
