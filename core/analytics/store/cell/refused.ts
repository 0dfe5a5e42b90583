import type { Database } from '../../../process/database/database.ts'
import type { DayCounts, Days, Insights, RefusalCounts } from './insight-counts.ts'

const mostRefusals = 50

/** SQL: the game $1, and days from $2 to $3. */
export const range = 'game = $1 and day between $2 and $3'
export const refusals = {
  name: 'insights_refusals',
  text: `select reason, status, request, path, sum(count)::float8 as count,
      extract(epoch from max(last))::float8 as last,
      (array_agg(message order by last desc))[1] as message
    from refusal_tally where ${range} group by reason, status, request, path
    order by count desc, last desc limit ${mostRefusals}`,
}
const refusalDays = {
  name: 'insights_refusal_days',
  text: `select to_char(day, 'YYYY-MM-DD') as day, sum(count)::float8 as refusals from refusal_tally where ${range}
    group by day order by day`,
}

/** Counts of refused requests, in all and by day. */
interface Refused {
  readonly refusals: readonly RefusalCounts[]
  readonly days: readonly Pick<DayCounts, 'day' | 'refusals'>[]
}

/** Refusals of a game: they are counted in the directory, because a request may be refused before its cell is known. */
export const refusedOf = async (run: Database['run'], game: number, { from, to }: Days): Promise<Refused> => ({
  refusals: await run<RefusalCounts & Record<string, unknown>>(refusals, [game, from, to]),
  days: await run<Refused['days'][number] & Record<string, unknown>>(refusalDays, [game, from, to]),
})

/** The counts of a cell on another server, with the refusals that are counted in the directory. */
export function withRefusals<Of extends Pick<Insights, 'days'>>(counts: Of, { refusals, days }: Refused) {
  const all = new Map(counts.days.map((day) => [day.day, day]))
  for (const { day, refusals } of days)
    all.set(day, { statements: 0, learners: 0, sessions: 0, ...all.get(day), day, refusals })
  return { ...counts, refusals, days: [...all.values()].sort((one, other) => (one.day < other.day ? -1 : 1)) }
}
