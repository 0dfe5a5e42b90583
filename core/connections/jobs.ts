import { exports, retention, webhooks } from '../../shared/limits.ts'
import type { Core } from '../context.ts'
import { batch, hourMs, inBatches, startSweeps, type Running, type Sweep } from '../process/jobs/sweeps.ts'
import { startLeasedWork } from '../process/jobs/leased-work.ts'
import { runDeletion } from './command/delete-statements.ts'
import { startExports } from './delivery/run-exports.ts'
import { startGrades } from './delivery/send-grades.ts'
import { startForwards } from './delivery/start-forwards.ts'
import { startWebhooks } from './delivery/run-webhooks.ts'
import type { LeasedDeletion } from './store/deletions.ts'

const sweeps = ({ store }: Pick<Core, 'store'>): readonly Sweep[] => [
  ['old exports', hourMs, inBatches(() => store.exportJobs.sweep(exports.keptDays, batch))],
  ['receipts of deletions', hourMs, () => store.deletions.sweep(retention.idMonths)],
  ['launches of learning platforms', hourMs, inBatches(() => store.ltiLaunches.sweep(batch))],
  ['refused launches', hourMs, inBatches(() => store.ltiPlatforms.sweepRefusals(batch))],
  ['old keys for learning platforms', hourMs, store.ltiPlatforms.sweepKeys],
  ['old secrets of webhooks', hourMs, store.webhooks.forgetOld],
  [
    'deliveries to webhooks',
    hourMs,
    inBatches(async () => Math.min(batch, await store.webhookDeliveries.sweep(webhooks.keptDays, batch))),
  ],
]

/** Milliseconds between two looks for exports to make, statements to send on, and what webhooks and gradebooks get. */
export interface Intervals {
  readonly exportMs?: number
  readonly forwardMs?: number
  readonly webhookMs?: number
  readonly gradeMs?: number
}

/** Starts what runs beside the calls of this wing. */
export function startConnectionJobs(
  core: Core,
  { exportMs = 2_000, forwardMs = 1_000, webhookMs = 1_000, gradeMs = 2_000 }: Intervals,
): Running {
  const endExports = startExports(core, exportMs)
  const endForwards = startForwards(core, forwardMs)
  const webhooks = startWebhooks(core, webhookMs)
  const grades = startGrades(core, gradeMs)
  const { store, jobs, log } = core
  const deletions = startLeasedWork<LeasedDeletion>(
    { name: 'deletions of statements', ...store.deletions, deliver: (one, signal) => runDeletion(store, one, signal) },
    { everyMs: 1_000, jobs, log, atOnce: 1 },
  )
  return {
    leave: core.exporting.close,
    stopCalls: () => Promise.all([endExports(), endForwards(), webhooks.stop(), grades.stop(), deletions.stop()]),
    stop: startSweeps(sweeps(core), core),
  }
}
