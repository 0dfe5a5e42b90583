import type { Accounts } from './accounts/wing.ts'
import type { Analytics } from './analytics/wing.ts'
import type { Base } from './base.ts'
import type { Connections } from './connections/wing.ts'
import type { Games } from './games/wing.ts'
import type { Jobs } from './process/jobs/jobs.ts'
import type { Records } from './records/wing.ts'
import type { ServiceAccounts } from './records/access/caller.ts'

/** Everything that handlers use: the parts of all wings, wired in core.ts. */
export interface Core extends Omit<Base, 'patience'>, Records, Analytics, Accounts, Games, Connections {
  /** Internal services by their tokens. */
  readonly services: ServiceAccounts
  /** What runs beside calls. */
  readonly jobs: Jobs
}

/** Authentication of callers. */
export type Authentication = Pick<Core, 'authenticator' | 'services' | 'tokens'>
