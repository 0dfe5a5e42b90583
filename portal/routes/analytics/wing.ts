import type { Router } from 'express'
import type { Portal } from '../../web/visit.ts'
import { data } from './data.ts'
import { learners } from './learners.ts'

/** Charts, and the learners behind them. */
export const analyticsWing = (portal: Portal): Router[] => [data, learners].map((routes) => routes(portal))
