const dayMs = 24 * 60 * 60 * 1000

/** The first day of the month of a day. Days are numbers since 1970, UTC. */
export function monthOf(day: number): number {
  const date = new Date(day * dayMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / dayMs
}

/** The first day of the next month. @param month its first day */
export const monthAfter = (month: number): number => monthOf(month + 31)
