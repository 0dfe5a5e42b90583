import type { Database } from '../../process/database/database.ts'
import { clockStore } from './clocks.ts'
import { gameWatchStore } from './game-watches.ts'
import { learnerWordStore } from './learner-words.ts'
import { savedViewStore } from './saved-views.ts'

/** Tables of the directory that belong to counts. */
export const analyticsStores = (database: Database) => ({
  clocks: clockStore(database),
  gameWatches: gameWatchStore(database),
  learnerWords: learnerWordStore(database),
  savedViews: savedViewStore(database),
})
