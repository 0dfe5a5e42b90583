import { arrayOf, only, sql, type Run } from '../../../process/database/database.ts'
import { current, newestOf } from './current.ts'
import type { Credentialed } from './write-statements.ts'

/** What the primary knows after a read on a standby. */
export interface PrimaryState {
  /** The credential is unchanged and its session has not ended. */
  readonly current: boolean
  /** Microseconds: the last statement of the caller's game; 0: none. */
  readonly wrote: number
  /** Microseconds: nobody has been told of a later position in the order. */
  readonly last: number
  /** Transactions that have erased something on this server. */
  readonly erased: string
}

const state = sql('primary_state')`
  select c.current, coalesce((${newestOf('a.game')}), 0)::float8 as wrote, o.last_value::float8 as last, e.erased, a.n
    from unnest($1::int[], $2::int[], $3::uuid[], $4::int[])
      with ordinality a (credential, version, session, game, n)
    cross join lateral ${current('a.credential', 'a.version', 'a.session')}
    cross join statement_order o cross join (select sum(erased) as erased from cell) e`

/** Asks for several callers at once. */
export async function primaryState(run: Run, all: readonly Credentialed[]): Promise<PrimaryState[]> {
  const rows = await run<PrimaryState & { n: string }>(state, [
    arrayOf(all, ({ credential }) => credential),
    arrayOf(all, ({ credentialVersion }) => credentialVersion),
    arrayOf(all, ({ session }) => session ?? 'NULL'),
    arrayOf(all, ({ game }) => game),
  ])
  return rows.sort((one, other) => Number(one.n) - Number(other.n))
}

const order = sql('primary_order')`select advance_order()::float8 as idle,
    (select last_value from statement_order)::float8 as last`

/** The last number of a cell's order; `idle`: one that was set while nobody wrote, null: a transaction writes. */
export const primaryOrder = (run: Run): Promise<{ idle: number | null; last: number }> =>
  only(run<{ idle: number | null; last: number }>(order, []))
