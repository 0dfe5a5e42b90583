import { countedDays } from '../../../../../shared/limits.ts'
import { daysOf, happenedAt } from '../../../rules/when.ts'
import type { Clock } from '../cursors.ts'
import type { Run } from './counter.ts'

const known = {
  name: 'days_known',
  text: `select k.day, exists (select from counted_day d where (d.game, d.day) = ($1, k.day)) as known
    from unnest($2::int[]) k (day)`,
}
const add = {
  name: 'days_add',
  text: `insert into counted_day (game, day) select $1, k.day from unnest($2::int[]) with ordinality k (day, n)
    where n <= ${countedDays} - (select count(*) from counted_day where game = $1) returning day`,
}

/** What a zone's days are is found out once. */
const zones = new Map<string, ReturnType<typeof daysOf>>()
const mostZones = 100

/** As `daysOf`. */
export function daysIn(zone: string): ReturnType<typeof daysOf> {
  let days = zones.get(zone)
  if (!days) {
    if (zones.size >= mostZones) zones.clear()
    zones.set(zone, (days = daysOf(zone)))
  }
  return days
}

interface When {
  readonly at: number
  readonly day: number
}

/** When a statement happened. @param stored microseconds */
export const whenIn = ({ zone, start }: Clock): ((timestamp: string | undefined, stored: number) => When) => {
  const dayOf = daysIn(zone)
  return (timestamp, stored) => {
    const at = happenedAt(timestamp, stored, start)
    return { at, day: dayOf(at) }
  }
}

/** A game has 4,000 different days, the first ones that came. Adds those of `days` that fit, and returns the others. */
export async function furtherDays(run: Run, counts: number, days: ReadonlySet<number>): Promise<ReadonlySet<number>> {
  const found = await run<{ day: number; known: boolean }>(known, [counts, [...days]])
  const added = found.filter((one) => !one.known).map(({ day }) => day)
  if (added.length === 0) return new Set()
  const made = await run<{ day: number }>(add, [counts, added.toSorted((one, other) => one - other)])
  const others = new Set(added)
  for (const { day } of made) others.delete(day)
  return others
}
