/** The owner of a row of a game in fair shares: the studio, or the game if it has none. */
export const leaseOwner = `coalesce('studio ' || g.studio, 'game ' || g.id)`

/** What each owner has used, from the parameters $3 (names) and $4. */
export const withUse = `left join unnest($3::text[], $4::float8[]) u (owner, used) on u.owner = ${leaseOwner}`
