import { along, everything, orderAlong } from './look.ts'

/**
 * Whether the credential with id $1 still has version $2, as the column `current` of `c`: stands in every query, so that
 * what is read and whether it may be are of one snapshot (docs/adr/0009).
 */
export const currentCredential = '(select exists (select from credential where id = $1 and version = $2 and revoked is null) as current) c'

const backwards = { ...everything, ascending: false }

/** Query for the latest `stored` of this game: one row, or none for a game without statements. */
export const newestOf = (game: string) =>
  `select m.stored from statement m where ${along('m', { game }, 'stored', backwards)}
    ${orderAlong('m', { game }, 'stored', backwards)} limit 1`

/** Query for the latest `stored` of all games, as the column `through`. */
export const newestOfAll = `select max(m.stored) as through from game g cross join lateral (${newestOf('g.id')}) m`
