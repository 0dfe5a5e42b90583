import type { Database } from '../../process/database/database.ts'
import type { LearnerKeys } from './cell/named-learners.ts'
import { erasingStore } from './erasings.ts'
import { gameQuotaStore } from './game-quotas.ts'
import { reservationStore } from './reservations.ts'
import { retentionStore } from './retention.ts'
import { tenancyStore } from './tenancy.ts'

/** What an erasure has to know of a learner. */
type ErasedLearner = LearnerKeys & { readonly identifier: string }

/** Tables of the directory that belong to statements. */
export const recordStores = (database: Database) => ({
  erasings: erasingStore<ErasedLearner>(database),
  gameQuotas: gameQuotaStore(database),
  reservations: reservationStore(database),
  retention: retentionStore(database),
  tenancy: tenancyStore(database),
})
