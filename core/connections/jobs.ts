import { exports, webhooks } from '../../shared/limits.ts'
import type { Core } from '../context.ts'
import { batch, hourMs, inBatches, startSweeps, type Running, type Sweep } from '../process/jobs/sweeps.ts'
import { startExports } from './delivery/run-exports.ts'
import { startForwards } from './delivery/start-forwards.ts'
import { startWebhooks } from './delivery/run-webhooks.ts'

const sweeps = ({ store }: Pick<Core, 'store'>): readonly Sweep[] => [
  ['old exports', hourMs, inBatches(() => store.exportJobs.sweep(exports.keptDays, batch))],
  ['old secrets of webhooks', hourMs, store.webhooks.forgetOld],
  [
    'deliveries to webhooks',
    hourMs,
    inBatches(async () => Math.min(batch, await store.webhookDeliveries.sweep(webhooks.keptDays, batch))),
  ],
]

/** Milliseconds between two looks for exports to make, statements to send on, and what is to be sent to webhooks. */
export interface Intervals {
  readonly exportMs?: number
  readonly forwardMs?: number
  readonly webhookMs?: number
}

/** Starts what runs beside the calls of this wing. */
export function startConnectionJobs(
  core: Core,
  { exportMs = 2_000, forwardMs = 1_000, webhookMs = 1_000 }: Intervals,
): Running {
  const endExports = startExports(core, exportMs)
  const endForwards = startForwards(core, forwardMs)
  const webhooks = startWebhooks(core, webhookMs)
  return {
    leave: core.exporting.close,
    stopCalls: () => Promise.all([endExports(), endForwards(), webhooks.stop()]),
    stop: startSweeps(sweeps(core), core),
  }
}
