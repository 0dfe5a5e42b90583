import { Router } from 'express'
import type { DataView } from '../pages/data-layout.ts'
import { dataPage, ranges } from '../pages/data.ts'
import { isDeveloper, signedIn, uuid, type Portal, type Visit } from '../visit.ts'

/** The view that the query of the address selects. */
export function viewOf(visit: Visit): DataView {
  const { query } = visit
  const days = ranges.find((days) => String(days) === query('days')) ?? 30
  return { sandbox: query('from') === 'sandbox', days, makes: isDeveloper(visit) }
}

/** The last `days` days up to today, in UTC. */
export function lastDays(days: number): { from: string; to: string } {
  const today = Date.now()
  const day = (time: number) => new Date(time).toISOString().slice(0, 10)
  return { from: day(today - (days - 1) * 86_400_000), to: day(today) }
}

/** The page reloads after this many seconds, but only until its counts are complete. This works without scripts. */
const askAgain = 1

/** Charts of a game. */
export const data = (portal: Portal): Router =>
  Router().get(
    '/games/:id/data',
    signedIn(portal, async (visit) => {
      const view = viewOf(visit)
      const gameId = uuid(visit)
      const [{ game }, insights] = await Promise.all([
        visit.core.games.getGame({ gameId }),
        visit.core.insights.getInsights({ gameId, ...lastDays(view.days), sandbox: view.sandbox }),
      ])
      if (!insights.complete) visit.response.set('Refresh', String(askAgain))
      return dataPage(visit, game!, view, insights)
    }),
  )
