import type { Core } from '../context.ts'
import { batch, hourMs, inBatches, startSweeps, type Running, type Sweep } from '../process/jobs/sweeps.ts'
import { learnerKeys } from '../records/access/learner.ts'
import { sweepStorage } from './command/sweep-storage.ts'
import { warnOfFullGames } from './command/warn-of-quotas.ts'

const storageMs = 30_000
const lessonMs = 60_000
/** A closed page ends its seat in 15 seconds and these. */
const seatMs = 5_000
/** Swept hourly, so that events are gone 24 hours after their request. */
const eventSeconds = 23 * 60 * 60
/** Seconds for which a session in the player is kept after its end. */
const sweptAfterSeconds = 24 * 60 * 60

type Needs = Pick<
  Core,
  'store' | 'storage' | 'packages' | 'thumbnails' | 'observers' | 'events' | 'config' | 'notices' | 'jobs' | 'log'
>

const sweeps = ({ store, storage, config, notices }: Needs): readonly Sweep[] => [
  ['sessions in the player', hourMs, inBatches(() => store.launches.sweep(sweptAfterSeconds, batch))],
  ['sandbox events', hourMs, inBatches(() => store.sandboxEvents.sweep(eventSeconds, batch))],
  ['ended invitations', hourMs, inBatches(() => store.invitations.sweep(batch))],
  ['closed reports of games', hourMs, inBatches(() => store.reports.sweep(batch))],
  ['devices', hourMs, inBatches(() => store.devices.sweep(batch))],
  ['ended classes', hourMs, inBatches(() => store.classes.sweep(batch))],
  ['lessons whose time is over', lessonMs, inBatches(() => store.lessons.close(batch))],
  ['classes of schools that ended', hourMs, inBatches(() => store.schoolClasses.sweep(batch))],
  ['pupils who left their class', hourMs, inBatches(() => store.schoolClasses.sweepGone(batch))],
  ['rosters that nobody confirmed', hourMs, inBatches(() => store.rosters.sweep(batch))],
  ['seats that were left', seatMs, inBatches(() => store.seats.endLeft(batch))],
  ['ended seats', hourMs, inBatches(() => store.seats.sweep(batch))],
  [
    'learners with nothing but a name',
    hourMs,
    inBatches(() => store.learners.sweep(batch, (id) => learnerKeys(id, config))),
  ],
  ['games that are nearly full', hourMs, () => warnOfFullGames({ store, notices })],
  ['storage', storageMs, (ending) => sweepStorage({ store, storage }, ending)],
]

/** Starts what runs beside the calls of this wing. */
export const startGameJobs = (core: Needs): Running => ({
  async leave() {
    core.observers.close()
    await core.packages.close()
    await core.thumbnails.close()
  },
  stop: startSweeps(sweeps(core), core),
  flush: core.events.flush,
})
