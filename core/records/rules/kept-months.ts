const dayMs = 24 * 60 * 60 * 1000

/**
 * Microseconds at which the UTC day begins that was this many months before. The last day of a shorter month counts.
 */
export function monthsBefore(now: number, months: number): number {
  const day = new Date(now)
  const first = Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - months, 1)
  const { year, month } = { year: new Date(first).getUTCFullYear(), month: new Date(first).getUTCMonth() }
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(day.getUTCDate(), last)) * 1000
}

/** Days since 1970. */
export const dayNumber = (now: number): number => Math.floor(now / dayMs)
