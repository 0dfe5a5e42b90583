import type { Router } from 'express'
import { alertsPage } from '../../pages/analytics/alerts.ts'
import { routes } from '../../web/routes.ts'
import { notice, uuid, type Portal } from '../../web/visit.ts'
import { gameOf } from '../parts/game-of.ts'

/** Alerts of a game. */
export const alerts = (portal: Portal): Router =>
  routes(portal)
    .signedIn('GET /games/:id/alerts', async (visit) => {
      const [game, { alerts }] = await Promise.all([
        gameOf(visit),
        visit.core.watching.getAlerts({ gameId: uuid(visit) }),
      ])
      return alertsPage(visit, game, alerts, notice(visit, { saved: 'Saved.' }))
    })
    .developer('POST /games/:id/alerts', async (visit) => {
      const gameId = uuid(visit)
      const { alerts } = await visit.core.watching.getAlerts({ gameId })
      const off = alerts.map(({ kind }) => kind).filter((kind) => visit.form(kind) === '')
      await visit.core.watching.setAlerts({ gameId, off })
      return `/games/${gameId}/alerts?done=saved`
    })
