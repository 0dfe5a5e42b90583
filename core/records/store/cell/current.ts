import { along, everything, orderAlong } from '../../../process/database/look.ts'

/**
 * SQL: the version of the caller's credential, or 0, which no credential has, if the session of its launch token has
 * ended. So every check of the version checks the session, too (docs/adr/0009).
 * @param session SQL of its UUID; its value is NULL without a session
 */
export const versionOf = (version: string, session: string) =>
  // `offset 0` forces one index lookup
  `case when exists (select from ended_session where id = ${session} offset 0) then 0 else ${version} end`

/** Whether the credential still has the version, as the column `current` of `c`. */
export const current = (credential: string, version: string, session?: string) =>
  `(select exists (select from credential where id = ${credential} and revoked is null
    and version = ${session === undefined ? version : versionOf(version, session)}) as current) c`

/** The same with id $1 and version $2. Every query contains it, so that data and permission come from one snapshot. */
export const currentCredential = (session?: string) => current('$1', '$2', session)

const backwards = { ...everything, ascending: false }

/** Query for the latest `stored` of this game: one row, or none for a game without statements. */
export const newestOf = (game: string) =>
  `select m.stored from statement m where ${along('m', { game }, 'stored', backwards)}
    ${orderAlong('m', { game }, 'stored', backwards)} limit 1`

/** Whether the game `g` is in this cell: one that was moved leaves its rows behind for a while. */
export const isHere = 'g.cell = this_cell()'

/** Query for the latest `stored` of all games of the cell, as the column `through`. */
export const newestOfAll = `select max(m.stored) as through from tenant g
  cross join lateral (${newestOf('g.game')}) m where ${isHere}`
