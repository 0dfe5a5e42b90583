import type { Database } from '../../../process/database/database.ts'

const namesOf = {
  name: 'tally_names_of',
  text: `select iri, name from tally_name where game = coalesce((select shown from tally_cursor where game = $1), 1) * $1::int and key = any ($2::uuid[]) and name <> ''`,
}

/** Names that statements of a game gave its verbs and activities. */
export const tallyNameStore =
  ({ run }: Pick<Database, 'run'>) =>
  (game: number, keys: readonly string[]): Promise<{ iri: string; name: string }[]> =>
    run<{ iri: string; name: string }>(namesOf, [game, keys])
