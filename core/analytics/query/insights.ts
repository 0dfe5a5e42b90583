import { setTimeout as sleep } from 'node:timers/promises'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import { nothingCounted } from '../rules/counted.ts'
import type { DayCounts, Insights, PlayersOfDays } from '../store/cell/insight-counts.ts'
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
  const range = daysOf(query)
  const insights = await readCounts(core, studio, query, async (game) => {
    await core.refusals.flush()
    return core.store.insights.read(game, query)
  })
  const { days, ...counts } = insights ?? empty
  return { ...counts, days: everyDay(range, days) }
}

function everyDay({ from, to }: ReturnType<typeof daysOf>, days: readonly DayCounts[]): DayCounts[] {
  const known = new Map(days.map((day) => [day.day, day]))
  const names = Array.from({ length: to - from + 1 }, (_, n) => dayName(from + n))
  return names.map((day) => known.get(day) ?? { day, ...nothing })
}

/** How long a list of games waits for their counts. */
const patienceMs = 1_000

/**
 * How many people played each of some games, and in as many days before. A game that is not counted in time is left out.
 * @param studio must own the games @throws Problem, Refusal 'not-found'
 */
export async function listGameDays(
  core: CountsNeeds & Pick<Core, 'refusals'>,
  studio: number | undefined,
  { gameIds, ...range }: Days & { readonly gameIds: readonly string[] },
): Promise<(PlayersOfDays & { gameId: string })[]> {
  const { from, to } = daysOf(range)
  const before = { from: dayName(from - (to - from) - 1), to: dayName(from - 1) }
  const late = sleep<undefined>(patienceMs, undefined, { ref: false })
  await core.refusals.flush()
  const asked = gameIds.map(async (gameId) => {
    const counted = readCounts(core, studio, { gameId, sandbox: false }, (game) =>
      core.store.insights.readPlayers(game, range, before),
    )
    const players = await Promise.race([counted.catch(unlessBusy), late])
    return players && { ...players, gameId, days: everyDay({ from, to }, players.days) }
  })
  return (await Promise.all(asked)).filter((one) => one !== undefined)
}

/** Too many charts are being made. @throws any other error */
function unlessBusy(error: unknown): undefined {
  if (!(error instanceof Refusal && error.reason === 'unavailable')) throw error
}
