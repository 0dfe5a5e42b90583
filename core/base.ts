import type { Logger } from 'pino'
import type { Config } from './process/config/config.ts'
import type { CoreMeters } from './process/metrics/meters.ts'
import type { Store } from './store.ts'

/** What a wing makes its parts of. */
export interface Base {
  readonly config: Config
  readonly log: Logger
  readonly store: Store
  /** Counters for Prometheus. */
  readonly meters: CoreMeters
  /** Milliseconds that a call waits for the database, or for its turn. */
  readonly patience: number
}
