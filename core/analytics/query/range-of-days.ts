import { Problem } from '../../process/problem.ts'

/** Days in UTC such as `2026-11-21`, both included. */
export interface Days {
  readonly from: string
  readonly to: string
}

const dayMs = 24 * 60 * 60 * 1000
export const mostDays = 366

/** A range as days since 1970. @throws Problem */
export function daysOf(days: Days): { from: number; to: number } {
  const from = dayIn(days.from, 'from')
  const to = dayIn(days.to, 'to')
  if (to < from) throw new Problem('to', 'must not be before `from`')
  if (to - from >= mostDays) throw new Problem('to', `must be within ${mostDays} days of \`from\``)
  return { from, to }
}

/** Such as `2026-11-21`. */
export const dayName = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

function dayIn(text: string, path: string): number {
  const time = /^[1-9]\d{3}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text)
    throw new Problem(path, 'must be a day such as 2026-11-21')
  return time / dayMs
}
