import type { Database } from '../../../process/database/database.ts'
import { answerStore } from './answers.ts'
import type { Counting } from '../../../records/store/cell/counting.ts'
import { takeOffSeen } from './expiry-seen.ts'
import type { FormerLearners } from './former-learners.ts'
import { forgetDays, forgetLearners, holdCounts, takeOffDays } from './forget-counts.ts'
import { insightStore } from './insights.ts'
import { learnerResultStore } from './learner-results.ts'
import { forgetAllSeen, forgetSeen, learnersSeenStore } from './learners-seen.ts'
import { playStore } from './plays.ts'
import { refusalStore } from './refusals.ts'
import { sessionBuildStore } from './session-builds.ts'
import { sessionPlayStore } from './session-plays.ts'
import { tallyStore } from './tallies.ts'
import { tallyNameStore } from './tally-names.ts'

/** What is counted from the statements of a cell. */
export const countsOver = (database: Database, former: FormerLearners) => ({
  tallies: tallyStore(database, former),
  formerLearners: former.over(database),
  tallyNames: tallyNameStore(database),
  insights: insightStore(database),
  plays: { ...playStore(database), ...sessionPlayStore(database) },
  sessionBuilds: sessionBuildStore(database),
  answers: answerStore(database),
  learnersSeen: learnersSeenStore(database),
  learnerResults: learnerResultStore(database),
  refusals: refusalStore(database),
})

export const countingOf = (former: FormerLearners): Counting => ({
  holdCounts,
  forgetDays,
  forgetLearners,
  takeOffDays,
  takeOffSeen,
  forgetSeen,
  forgetAllSeen,
  rememberFormer: former.remember,
  formerGames: former.gamesOf,
  eraseFormer: former.erase,
})
