import type { Key } from '../../xapi/identify.ts'
import { sql, type Database } from '../../../process/database/database.ts'
import { statementOf } from './statement-of.ts'

const actorsOf = sql('statement_actors')`
  select s.id, replace(s.actor::text, '-', '') as actor from unnest($2::uuid[]) a (id)
    cross join lateral (${statementOf('$1', 'a.id')}) s`

/** Actors of statements. */
export function statementActors({ run }: Pick<Database, 'run'>) {
  return {
    /** Actor by statement id; ids that are not stored are left out. */
    actorsOf: async (game: number, ids: readonly string[]): Promise<Map<string, Key>> => {
      const rows = await run<{ id: string; actor: Key }>(actorsOf, [game, ids])
      return new Map(rows.map(({ id, actor }) => [id, actor]))
    },
  }
}
