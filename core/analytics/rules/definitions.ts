/**
 * Version of what counts mean. Add 1 when a rule of them changes: the counts of each game are then made again, and the
 * old ones are shown until these have caught up.
 */
export const definitions = 2
