import type { Core } from '../context.ts'
import { startLeasedWork } from '../process/jobs/leased-work.ts'
import { batch, hourMs, inBatches, startSweeps, whileAny, type Running, type Sweep } from '../process/jobs/sweeps.ts'
import { expire } from './command/expire.ts'
import { dayNumber } from './rules/kept-months.ts'
import type { Records } from './wing.ts'
import type { LeasedGame } from './store/retention.ts'

/** Between two looks for games whose data is kept long enough. */
const expiryMs = 20_000
const bytesMs = 5_000
const movesMs = 3_000
const leftMs = 30_000
/** Age of rows in table `telling` after which another core writes them: then their core was killed. */
const toldSeconds = 15
const toldMs = 5_000
/** Contents of attachments that belong to no statement: older than any request that may still name them. */
const attachmentSeconds = 60 * 60

type Needs = Pick<Core, keyof Records | 'store' | 'config' | 'jobs' | 'log'>

const sweeps = ({ store, room }: Needs): readonly Sweep[] => [
  ['attachments', hourMs, inBatches(() => store.attachments.sweep(attachmentSeconds, batch))],
  ['ended sessions', hourMs, store.endedSessions.sweep],
  ['ids of expired statements', hourMs, inBatches(() => store.expiry.sweepIds(dayNumber(Date.now()), batch))],
  ['interrupted moves of games', movesMs, () => store.cells.undoMoves()],
  ['rows of moved games', leftMs, whileAny(() => store.cells.sweepLeft())],
  ['definitions and names of a killed core', toldMs, whileAny(() => store.statements.tellRest(toldSeconds))],
  ['bytes of games', bytesMs, room.count],
]

/** Starts what runs beside the calls of this wing. */
export function startRecordJobs(core: Needs): Running {
  const { store, config, jobs, log } = core
  const expiring = startLeasedWork<LeasedGame>(
    {
      name: 'data that is kept long enough',
      ...store.retention,
      deliver: (game, signal) => expire({ store, config }, game, signal),
    },
    { everyMs: expiryMs, jobs, log, atOnce: 1 },
  )
  return {
    async leave() {
      core.followers.close()
      core.pageFollowers.close()
      core.storeStreams.close()
      await core.work.close()
    },
    stop: startSweeps(sweeps(core), core, expiring),
    flush: core.ingest.idle,
  }
}
