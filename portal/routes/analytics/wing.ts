import type { Router } from 'express'
import type { Portal } from '../../web/visit.ts'
import { alerts } from './alerts.ts'
import { counting } from './counting.ts'
import { data } from './data.ts'
import { learners } from './learners.ts'
import { views } from './views.ts'

/** Charts, and the learners behind them. */
export const analyticsWing = (portal: Portal): Router[] =>
  [alerts, counting, data, learners, views].map((routes) => routes(portal))
