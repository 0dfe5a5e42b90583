import { done, only, sql, type Database } from '../../process/database/database.ts'

const find = sql('pseudonym_key_find')`
  select k.sealed, g.id as game from game g left join pseudonym_key k on k.game = g.id where g.uuid = $1`
const add = sql('pseudonym_key_add')`
  insert into pseudonym_key (game, sealed) values ($1, $2) on conflict (game) do nothing`

/** Keys of the pseudonyms of games, sealed. */
export function pseudonymKeyStore({ run }: Pick<Database, 'run'>) {
  const found = (gameId: string) => only(run<{ game: number; sealed: Buffer | null }>(find, [gameId]))
  return {
    /** The key of a game, and the number of its row; null: it has none yet. */
    find: found,
    /** Adds a key; the first one stays. */
    add: (game: number, sealed: Buffer) => done(run(add, [game, sealed])),
  }
}
