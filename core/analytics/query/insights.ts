import type { Core } from '../../context.ts'
import { nothingCounted } from '../rules/counted.ts'
import type { Insights } from '../store/cell/insight-counts.ts'
import { dayName, daysOf, type Days } from './range-of-days.ts'
import { readCounts, type CountsNeeds, type CountsOf } from './read-counts.ts'

export type InsightsQuery = Days & CountsOf

const nothing = { statements: 0, learners: 0, sessions: 0, refusals: 0 }
const empty: Insights = {
  ...nothingCounted,
  days: [],
  verbs: [],
  activities: [],
  refusals: [],
  learners: 0,
  teams: 0,
  sessions: 0,
}

/**
 * The counts of a range of days, with a row for each day.
 * @param studio must own the game; undefined: any game
 * @throws Problem, Refusal 'not-found'
 */
export async function getInsights(
  core: CountsNeeds & Pick<Core, 'refusals'>,
  studio: number | undefined,
  query: InsightsQuery,
): Promise<Insights> {
  const { from, to } = daysOf(query)
  const names = Array.from({ length: to - from + 1 }, (_, n) => dayName(from + n))
  const insights = await readCounts(core, studio, query, async (game) => {
    await core.refusals.flush()
    return core.store.insights.read(game, query)
  })
  const { days, ...counts } = insights ?? empty
  const known = new Map(days.map((day) => [day.day, day]))
  return { ...counts, days: names.map((day) => known.get(day) ?? { day, ...nothing }) }
}
