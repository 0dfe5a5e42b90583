import { did, done, sql, type Run } from '../../process/database/database.ts'

/**
 * A row that one core at a time works on, as long as it shows that it lives. Its table has the columns `leased`, until
 * when a core has it, and `attempts`, how often it was taken. By this number a core notices that another one has taken
 * over, or that the row was changed.
 */
export interface Leased {
  readonly id: number | string
  readonly attempts: number
}

/** SQL: no core has the row. @param alias of its table */
export const isFree = (alias: string): string => `coalesce(${alias}.leased, '-infinity') < now()`

/** SQL: a core has the row for the seconds of this parameter. */
export const leasedFor = (seconds: string): string => `leased = now() + make_interval(secs => ${seconds})`

/** SQL: what changes the row takes it from the core that works on it. */
export const takenAway = 'leased = null, attempts = attempts + 1'

/**
 * The queries of leases on the rows of a table.
 * @param key the column that is `id` of Leased
 * @param open SQL: the row has not ended; what it names of the table needs the table's name where it could be of another
 */
export function leases(table: string, { key = 'id', open = 'true' } = {}) {
  const isMine = `${key} = $1 and attempts = $2`
  const isOpen = `${isMine} and ${open}`
  const renew = sql(`${table}_renew`)`update ${table} set ${leasedFor('$3')} where ${isOpen} returning 1`
  const release = sql(`${table}_release`)`update ${table} set leased = null where ${isMine}`
  return {
    /** SQL: this core has the row, of `id` $1 and `attempts` $2. */
    isMine,
    /** SQL: and it has not ended. */
    isOpen,
    /**
     * SQL that takes rows for $1 seconds; `returning` follows. An array, because a join could run a subquery with LIMIT
     * and SKIP LOCKED once for each row.
     * @param due SQL, with `t` for the table and what `joins` adds
     */
    take: ({ due, order, joins = '', also = '', most = '1' }: Taking): string => `update ${table}
      set ${leasedFor('$1')}, attempts = attempts + 1${also} where ${key} = any (array(
        select t.${key} from ${table} t ${joins} where ${due} and ${isFree('t')}
        order by ${order} limit ${most} for update of t skip locked))`,
    on: (run: Run) => ({
      /** Shows that this core still works on it; false: it has ended or was changed, or another core has it. */
      renew: ({ id, attempts }: Leased, seconds: number) => did(run(renew, [id, attempts, seconds])),
      /** Another core may take it at once. */
      release: ({ id, attempts }: Leased) => done(run(release, [id, attempts])),
    }),
  }
}

interface Taking {
  readonly due: string
  readonly order: string
  readonly joins?: string
  readonly also?: string
  readonly most?: string
}

/** The owner of a row of a game in fair shares: the studio, or the game if it has none. */
export const leaseOwner = `coalesce('studio ' || g.studio, 'game ' || g.id)`

/**
 * Takes a row of a game in fair shares: $2 names owners and hosts that have all the slots they get; who has used the
 * least, by $3 (owners) and $4, comes first.
 */
export const inFairShares = (due: string): Taking => ({
  joins: `join game g on g.id = t.game left join studio s on s.id = g.studio
    left join unnest($3::text[], $4::float8[]) u (owner, used) on u.owner = ${leaseOwner}`,
  due: `g.deleted is null and s.suspended is null and t.next_attempt <= now()
    and not (array['host ' || t.host, ${leaseOwner}] && $2::text[]) and ${due}`,
  order: 'coalesce(u.used, 0), t.next_attempt, t.id',
})
