import type { FilterKeys } from '../../xapi/statement-filter.ts'
import { sql, type Database, type Prepared } from '../../../process/database/database.ts'
import { along, everything, orderAlong } from '../../../process/database/look.ts'

/** Columns with an index of their own, the rarest values first. */
const narrow = ['registration', 'actor', 'activity', 'verb'] as const

function countAlong(column: (typeof narrow)[number] | undefined): Prepared {
  const columns = { game: '$1', ...(column === undefined ? {} : { [column]: '$5::uuid' }) }
  const range = { after: '$2', until: '$3', ascending: true }
  return sql(`count_statements_${column ?? 'all'}`)`select count(*)::float8 as count from (select from statement s
      where ${along('s', columns, 'stored', range)}${column === undefined ? '' : ` and s.${column} is not null`}
      ${orderAlong('s', columns, 'stored', range)} limit $4) n`
}
const counts = new Map([...narrow, undefined].map((column) => [column, countAlong(column)]))

/**
 * Counts statements of a game by its rarest filter, up to a bound. The number may be too high, and counts voided ones.
 */
export const statementCounter =
  ({ run }: Pick<Database, 'run'>) =>
  async (
    game: number,
    filter: FilterKeys,
    { after, until, most }: { readonly after?: number; readonly until?: number; readonly most: number },
  ): Promise<number> => {
    const values = { ...filter, actor: filter.agent }
    const column = narrow.find((name) => values[name] !== undefined)
    const range = [game, after ?? everything.after, until ?? everything.until, most]
    const [row] = await run<{ count: number }>(counts.get(column)!, [
      ...range,
      ...(column === undefined ? [] : [values[column]]),
    ])
    return row!.count
  }
