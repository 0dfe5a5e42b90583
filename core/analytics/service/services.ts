import type { DeclaredService } from '../../process/methods/declaration.ts'
import { insightService } from './insights.ts'
import { answerService } from './answers.ts'
import { countingService } from './counting.ts'
import { seriousGamesService } from './serious-games.ts'
import { watchingService } from './watching.ts'

/** The services of this wing. */
export const analyticsServices: readonly DeclaredService[] = [
  insightService,
  answerService,
  seriousGamesService,
  countingService,
  watchingService,
]
