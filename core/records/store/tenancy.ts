import type { Tenancy } from '../xapi/dialect.ts'
import { done, scalar, sql, type Database } from '../../process/database/database.ts'

const read = sql('tenancy_read')`select value from tenancy`
// two cores with different values at the same time do not turn isolated into shared
const keep = sql('tenancy_keep')`insert into tenancy (value) values ($1)
    on conflict (only_row) do update set value = excluded.value, since = now() where excluded.value = 'isolated'`
const share = sql('tenancy_share')`update tenancy set value = 'shared', since = now() where value <> 'shared'`

/** The last LRS_TENANCY of the store. */
export function tenancyStore({ run }: Database) {
  return {
    /** Undefined: no core was started yet. */
    read: () => scalar<Tenancy | undefined>(run(read, [])),
    /** Stores the value; `shared` only if there is none yet. */
    keep: (tenancy: Tenancy) => done(run(keep, [tenancy])),
    share: () => done(run(share, [])),
  }
}
