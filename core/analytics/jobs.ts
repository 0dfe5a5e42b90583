import type { Core } from '../context.ts'
import { paceOf } from '../process/jobs/pace.ts'
import { batch, hourMs, inBatches, startSweeps, type Running, type Sweep } from '../process/jobs/sweeps.ts'
import { startLeasedWork } from '../process/jobs/leased-work.ts'
import { raiseAlerts } from './command/raise-alerts.ts'
import { foldOpened } from './query/fold-tallies.ts'
import { mostDays } from './query/range-of-days.ts'
import { watchedOf } from './query/watched.ts'
import type { LeasedWatch } from './store/game-watches.ts'

const foldMs = 250
const alertMs = 5_000
/** Makes the entries of learners again, in the list of learners, after statements of theirs were removed. */
const againMs = 5_000

type Needs = Pick<Core, 'store' | 'ingest' | 'refusals' | 'notices' | 'jobs' | 'log'>

function sweeps({ store, ingest }: Needs): readonly Sweep[] {
  const pace = paceOf(ingest.written)
  return [
    ['counts of opened charts', foldMs, (ending) => foldOpened(store.tallies, () => ending.aborted, pace)],
    ['lists of learners', againMs, (ending) => foldOpened(store.learnersSeenAgain, () => ending.aborted, pace)],
    ['games to watch', hourMs, inBatches(() => store.gameWatches.add(batch))],
    [
      'counts of refusals that no page shows any longer',
      hourMs,
      inBatches(() => store.refusals.sweep(mostDays, batch)),
    ],
  ]
}

/** Starts what runs beside the calls of this wing. */
export function startAnalyticsJobs(core: Needs): Running {
  const { store, ingest, jobs, log } = core
  const inTurn = paceOf(ingest.written)
  const alerts = startLeasedWork<LeasedWatch>(
    {
      name: 'alerts',
      ...store.gameWatches,
      deliver: async (watch) =>
        raiseAlerts(core, watch, watch.studio === null ? undefined : await watchedOf(store, watch, inTurn)),
    },
    { everyMs: alertMs, jobs, log, atOnce: 1 },
  )
  return { stop: startSweeps(sweeps(core), core, alerts), flush: core.refusals.close }
}
