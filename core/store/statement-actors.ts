import type { Key } from '../xapi/identify.ts'
import type { Database } from './database.ts'

const actorsOf = { name: 'statement_actors', text: `select id, replace(actor::text, '-', '') as actor from statement where game = $1 and id = any ($2)` }

/** Whose statements are, by their ids. */
export function statementActors({ run }: Pick<Database, 'run'>) {
  return {
    /** Those that are stored. */
    actorsOf: async (game: number, ids: readonly string[]): Promise<Map<string, Key>> => {
      const rows = await run<{ id: string; actor: Key }>(actorsOf, [game, ids])
      return new Map(rows.map(({ id, actor }) => [id, actor]))
    },
  }
}
