import type { Core } from '../context.ts'
import { paceOf } from '../process/jobs/pace.ts'
import { batch, hourMs, inBatches, startSweeps, type Running, type Sweep } from '../process/jobs/sweeps.ts'
import { foldOpened } from './query/fold-tallies.ts'
import { mostDays } from './query/range-of-days.ts'

const foldMs = 250
/** Makes the entries of learners again, in the list of learners, after statements of theirs were removed. */
const againMs = 5_000

type Needs = Pick<Core, 'store' | 'ingest' | 'refusals' | 'jobs' | 'log'>

function sweeps({ store, ingest }: Needs): readonly Sweep[] {
  const pace = paceOf(ingest.written)
  return [
    ['counts of opened charts', foldMs, (ending) => foldOpened(store.tallies, () => ending.aborted, pace)],
    ['lists of learners', againMs, (ending) => foldOpened(store.learnersSeenAgain, () => ending.aborted, pace)],
    [
      'counts of refusals that no page shows any longer',
      hourMs,
      inBatches(() => store.refusals.sweep(mostDays, batch)),
    ],
  ]
}

/** Starts what runs beside the calls of this wing. */
export const startAnalyticsJobs = (core: Needs): Running => ({
  stop: startSweeps(sweeps(core), core),
  flush: core.refusals.close,
})
