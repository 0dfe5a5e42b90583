import { exports, mails, notifications, webhooks } from '../shared/limits.ts'
import { learnerKeys, type Learner } from './records/access/learner.ts'
import type { Core } from './context.ts'
import { foldOpened } from './analytics/query/fold-tallies.ts'
import { startLeasedWork } from './process/jobs/leased-work.ts'
import { repeat } from './process/jobs/repeat.ts'
import { warnOfFullGames } from './games/command/warn-of-quotas.ts'
import { sweepErasures } from './accounts/command/erasure-requests.ts'
import { dayNumber } from './records/rules/kept-months.ts'
import { sweepEndings } from './accounts/command/endings.ts'
import { goOnErasing } from './accounts/command/erase-learner.ts'
import { expire } from './records/command/expire.ts'
import type { UnderWay } from './records/store/erasings.ts'
import type { LeasedGame } from './records/store/retention.ts'
import { sweepStorage } from './games/command/sweep-storage.ts'

const hourMs = 60 * 60 * 1000
const storageMs = 30_000
/** Between two looks for games whose data is kept long enough. */
const expiryMs = 20_000
const bytesMs = 5_000
const movesMs = 3_000
const foldMs = 1_000
const erasingMs = 10_000
/** Age of rows in table `telling` after which another core writes them: then their core was killed. */
const toldSeconds = 15
const toldMs = 5_000
const headMs = 10 * 60_000
const batch = 100
/** Contents of attachments that belong to no statement: older than any request that may still name them. */
const attachmentSeconds = 60 * 60
/** Seconds for which a session in the player is kept after its end. */
const sweptAfterSeconds = 24 * 60 * 60

type Needs = Pick<Core, 'store' | 'storage' | 'room' | 'log' | 'config' | 'jobs' | 'notices' | 'audit'>
type Once = (ending: AbortSignal) => Promise<unknown>

/** Until a batch is not full. */
const inBatches =
  (remove: () => Promise<number>): Once =>
  async (ending) => {
    while (!ending.aborted && (await remove()) === batch);
  }
/** As long as something was done. */
const whileAny =
  (work: () => Promise<number>): Once =>
  async (ending) => {
    while (!ending.aborted && (await work()) > 0);
  }

/** Periodic work: its name, milliseconds between two runs, and a run. */
function sweeps({ store, storage, room, log, config, notices, audit }: Needs): readonly [string, number, Once][] {
  let loggedHead = 0
  /** In the log, so that an operator can compare: to hide a change, the logs would have to be changed, too. */
  async function logHead(): Promise<void> {
    const { position, hash } = await store.audit.head()
    if (position !== loggedHead) log.info({ head: `${position}:${hash}` }, 'head of the audit log')
    loggedHead = position
  }

  return [
    ['attachments', hourMs, inBatches(() => store.attachments.sweep(attachmentSeconds, batch))],
    ['sessions in the player', hourMs, inBatches(() => store.launches.sweep(sweptAfterSeconds, batch))],
    ['ended sessions', hourMs, store.endedSessions.sweep],
    ['ids of expired statements', hourMs, inBatches(() => store.expiry.sweepIds(dayNumber(Date.now()), batch))],
    ['ended invitations', hourMs, inBatches(() => store.invitations.sweep(batch))],
    ['ended classes', hourMs, inBatches(() => store.classes.sweep(batch))],
    [
      'learners with nothing but a name',
      hourMs,
      inBatches(() => store.learners.sweep(batch, (id) => learnerKeys(id, config))),
    ],
    ['erasures that learners asked for', hourMs, () => sweepErasures({ store, config, notices, log, audit })],
    ['deleted studios and accounts', hourMs, () => sweepEndings({ store, audit })],
    ['sessions of studios', hourMs, store.studioSessions.sweep],
    ['unfinished sign-ins', hourMs, store.signInAttempts.sweep],
    ['links in mails', hourMs, store.mailLinks.sweep],
    ['old mails', hourMs, inBatches(() => store.mails.sweep(mails.keptDays, batch))],
    ['notifications', hourMs, inBatches(() => store.notices.sweep(notifications.days, batch))],
    ['solved challenges', hourMs, store.studioMessages.sweep],
    ['old exports', hourMs, inBatches(() => store.exportJobs.sweep(exports.keptDays, batch))],
    ['old secrets of webhooks', hourMs, store.webhooks.forgetOld],
    [
      'deliveries to webhooks',
      hourMs,
      inBatches(async () => Math.min(batch, await store.webhookDeliveries.sweep(webhooks.keptDays, batch))),
    ],
    ['personal tokens', hourMs, inBatches(() => store.personalTokens.sweep(batch))],
    ['audit log', hourMs, inBatches(() => store.audit.sweep(config.auditDays, batch))],
    ['head of the audit log', headMs, logHead],
    ['counts of the portal', hourMs, store.portalLimits.sweep],
    ['games that are nearly full', hourMs, () => warnOfFullGames({ store, notices })],
    ['interrupted moves of games', movesMs, () => store.cells.undoMoves()],
    ['rows of moved games', storageMs, whileAny(() => store.cells.sweepLeft())],
    ['definitions and names of a killed core', toldMs, whileAny(() => store.statements.tellRest(toldSeconds))],
    ['bytes of games', bytesMs, room.count],
    ['counts of opened charts', foldMs, (ending) => foldOpened(store.tallies, () => ending.aborted)],
    ['storage', storageMs, (ending) => sweepStorage({ store, storage }, ending)],
  ]
}

/**
 * Removes at intervals what is expired, and goes on with erasures whose core has ended; each core has its own times.
 * @returns stops the intervals and waits for what is under way
 */
export function startSweeps(core: Needs): () => Promise<void> {
  const { store, config, jobs, log } = core
  const loops = sweeps(core).map(([name, everyMs, once]) =>
    repeat({ everyMs, failed: `${name} could not be swept`, log }, (ending) =>
      jobs.run(name, everyMs, () => once(ending)),
    ),
  )
  const expiring = startLeasedWork<LeasedGame>(
    {
      name: 'data that is kept long enough',
      ...store.retention,
      deliver: (game, signal) => expire({ store, config }, game, signal),
    },
    { everyMs: expiryMs, jobs, log, atOnce: 1 },
  )
  const erasing = startLeasedWork<UnderWay<Learner>>(
    {
      name: 'interrupted erasures',
      ...store.erasings,
      deliver: (begun) => goOnErasing(store, config.authorityHome, begun),
    },
    { everyMs: erasingMs, jobs, log, atOnce: 1 },
  )
  return async () => void (await Promise.all([...loops, expiring, erasing].map(({ stop }) => stop())))
}
