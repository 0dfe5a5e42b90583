import { exports as limits } from '../../../shared/limits.ts'
import type { Caller } from '../../records/access/caller.ts'
import type { Core } from '../../context.ts'
import { timeParameter } from '../../records/xapi/parameters.ts'
import type { ExportQuery } from './export-statements.ts'
import { filterOf } from '../../records/query/statements.ts'

/** About how many statements an export has, up to what is sent at once. @throws Problem */
export async function countExport(
  { store, fairQueue }: Pick<Core, 'store' | 'fairQueue'>,
  caller: Caller | undefined,
  query: ExportQuery,
): Promise<{ statements: number; more: boolean }> {
  const after = timeParameter(query.since, 'since')
  const until = timeParameter(query.until, 'until')
  if (!caller) return { statements: 0, more: false }
  const filter = filterOf(caller, query)
  const count = await fairQueue.run(caller.game, () =>
    store.countStatements(caller.game, filter, { after, until, most: limits.direct + 1 }),
  )
  return { statements: Math.min(count, limits.direct), more: count > limits.direct }
}
