import { noGame } from '../access/visitor.ts'
import { foldTallies } from './fold-tallies.ts'
import type { Core } from '../context.ts'
import { unlessReadOnly } from '../store/store-failure.ts'
import type { Days, Insights } from '../store/cell/insights.ts'
import { Problem } from '../xapi/problem.ts'

export interface InsightsQuery extends Days {
  /** UUID. */
  readonly gameId: string
  /** Count sandbox sessions instead of learners. */
  readonly sandbox: boolean
}

const dayMs = 24 * 60 * 60 * 1000
const mostDays = 366
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
  const names = daysBetween(dayIn(query.from, 'from'), dayIn(query.to, 'to'))
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

/** Milliseconds at which the day begins. @throws Problem */
export function dayIn(text: string, path: string): number {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text)
    throw new Problem(path, 'must be a day such as 2026-11-21')
  return time
}

/** @throws Problem */
export function daysBetween(from: number, to: number): string[] {
  const count = (to - from) / dayMs + 1
  if (count < 1) throw new Problem('to', 'must not be before `from`')
  if (count > mostDays) throw new Problem('to', `must be within ${mostDays} days of \`from\``)
  return Array.from({ length: count }, (_, n) => new Date(from + n * dayMs).toISOString().slice(0, 10))
}
