import { setTimeout as pause } from 'node:timers/promises'
import { expire, type Expiring } from '../../core/records/command/expire.ts'
import { hold } from '../../core/process/jobs/hold.ts'

/** Removes what a game need not keep any longer, if one is due, as the job of a core does. */
export async function expireNext({ leaseSeconds = 60, ...expiring }: Expiring & { leaseSeconds?: number }) {
  const { retention } = expiring.store
  const due = await retention.lease(leaseSeconds)
  if (!due) return pause(5)
  const { lost, end } = hold(due, retention.renew, leaseSeconds)
  try {
    await expire(expiring, due, lost)
  } catch (error) {
    if (!lost.aborted) throw error
  } finally {
    end()
    await retention.release(due)
  }
}
