import type { Router } from 'express'
import type { Portal } from '../../web/visit.ts'
import { counting } from './counting.ts'
import { data } from './data.ts'
import { learners } from './learners.ts'

/** Charts, and the learners behind them. */
export const analyticsWing = (portal: Portal): Router[] => [counting, data, learners].map((routes) => routes(portal))
