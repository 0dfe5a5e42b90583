import type { Core } from '../../context.ts'
import { startLeasedWork } from '../../process/jobs/leased-work.ts'
import type { LeasedForward } from '../store/forwards.ts'
import { deliverer } from './deliver.ts'

/**
 * Sends statements on to other stores. What this core commits is looked at within a second; a look every half a minute
 * finds the rest.
 * @param everyMs between two looks
 * @returns stops and lets go of those under way
 */
export function startForwards(core: Core, everyMs: number): () => Promise<void> {
  const { forwards, statements } = core.store
  const { log, jobs } = core
  const { stop, wake } = startLeasedWork<LeasedForward>(
    {
      name: 'forwards',
      lease: forwards.lease,
      owner: ({ owner }) => owner,
      host: ({ host }) => `host ${host}`,
      renew: forwards.renew,
      release: forwards.release,
      deliver: deliverer(core),
    },
    { everyMs, jobs, log },
  )
  let waking = Promise.resolve()
  const endCommits = statements.onCommit((games) => {
    waking = forwards.wake([...games]).then(
      (due) => void (due > 0 && wake()),
      // the look every half a minute finds them
      () => {},
    )
  }, everyMs)
  return async () => {
    endCommits()
    await waking
    await stop()
  }
}
