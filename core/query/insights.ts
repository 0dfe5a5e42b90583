import { noGame } from '../access/visitor.ts'
import { foldTallies } from '../fold-tallies.ts'
import type { Core } from '../context.ts'
import { unlessReadOnly } from '../store/store-failure.ts'
import type { Insights } from '../store/cell/insight-counts.ts'
import { dayName, daysOf, type Days } from './range-of-days.ts'

export interface InsightsQuery extends Days {
  /** UUID. */
  readonly gameId: string
  /** Count sandbox sessions instead of learners. */
  readonly sandbox: boolean
}

const nothing = { statements: 0, learners: 0, sessions: 0, refusals: 0 }

/**
 * The counts of a range of days, with a row for each day. Counts new statements first. Each studio has one such
 * query at a time, because a studio may have many games with large charts.
 * @param studio must own the game; undefined: any game
 * @throws Problem, Refusal 'not-found'
 */
export async function getInsights(
  {
    store,
    refusals,
    chartQueue,
    fairQueue,
    jobs,
  }: Pick<Core, 'store' | 'refusals' | 'chartQueue' | 'fairQueue' | 'jobs'>,
  studio: number | undefined,
  query: InsightsQuery,
): Promise<Insights> {
  const { from, to } = daysOf(query)
  const names = Array.from({ length: to - from + 1 }, (_, n) => dayName(from + n))
  const tenant = await store.games.tenant(query.gameId, studio, query.sandbox)
  if (!tenant) throw noGame()
  const { game } = tenant
  if (game === null)
    return {
      days: names.map((day) => ({ day, ...nothing })),
      verbs: [],
      activities: [],
      refusals: [],
      learners: 0,
      sessions: 0,
      behind: 0,
    }
  const insights = await chartQueue.run(studio ?? 'admins', () =>
    fairQueue.run(game, async () => {
      await refusals.flush()
      await jobs.run('counts for charts', 0, () => foldTallies(store.tallies, game)).catch(unlessReadOnly)
      return store.insights.read(game, query)
    }),
  )
  const known = new Map(insights.days.map((day) => [day.day, day]))
  return { ...insights, days: names.map((day) => known.get(day) ?? { day, ...nothing }) }
}
