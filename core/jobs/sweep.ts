import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { exports, mails, notifications, webhooks } from '../../shared/limits.ts'
import { learnerKeys } from '../access/learner.ts'
import type { Core } from '../context.ts'
import { foldOpened } from '../query/fold-tallies.ts'
import { warnOfFullGames } from '../notices/warn-of-quotas.ts'
import { isAway } from '../refusal.ts'
import { sweepErasures } from '../command/data/erasure-requests.ts'
import { dayNumber } from '../studio/kept-months.ts'
import { sweepEndings } from '../command/accounts/endings.ts'
import { goOnErasing } from '../command/data/erase-learner.ts'
import { expireNext } from '../command/data/expire.ts'
import { sweepStorage } from '../command/uploads/sweep-storage.ts'

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

/**
 * Removes expired rows and files at intervals; each core has its own times.
 * @returns stops the intervals and waits for running sweeps
 */
export function startSweeps({
  store,
  storage,
  room,
  log,
  config,
  jobs,
  notices,
  audit,
}: Pick<Core, 'store' | 'storage' | 'room' | 'log' | 'config' | 'jobs' | 'notices' | 'audit'>): () => Promise<void> {
  const ending = new AbortController()
  const holder = randomUUID()

  async function sweep(what: string, everyMs: number, once: () => Promise<void>): Promise<void> {
    while (!ending.signal.aborted) {
      await jobs
        .run(what, everyMs, once)
        .catch((error: unknown) => log[isAway(error) ? 'debug' : 'warn']({ err: error }, `${what} could not be swept`))
      await wait(everyMs * (0.75 + Math.random() / 2), undefined, { signal: ending.signal, ref: false }).catch(
        () => undefined,
      )
    }
  }

  async function inBatches(remove: () => Promise<number>): Promise<void> {
    while (!ending.signal.aborted && (await remove()) === batch);
  }

  let loggedHead = 0
  /** In the log, so that an operator can compare: to hide a change, the logs would have to be changed, too. */
  async function logHead(): Promise<void> {
    const { position, hash } = await store.audit.head()
    if (position !== loggedHead) log.info({ head: `${position}:${hash}` }, 'head of the audit log')
    loggedHead = position
  }

  const running = Promise.all([
    sweep('attachments', hourMs, () => inBatches(() => store.attachments.sweep(attachmentSeconds, batch))),
    sweep('sessions in the player', hourMs, () => inBatches(() => store.launches.sweep(sweptAfterSeconds, batch))),
    sweep('ended sessions', hourMs, store.endedSessions.sweep),
    sweep('data that is kept long enough', expiryMs, async () => {
      while (!ending.signal.aborted && (await expireNext({ store, config, holder, signal: ending.signal })) === 'done');
    }),
    sweep('ids of expired statements', hourMs, () =>
      inBatches(() => store.expiry.sweepIds(dayNumber(Date.now()), batch)),
    ),
    sweep('ended invitations', hourMs, async () => {
      await inBatches(() => store.invitations.sweep(batch))
      await inBatches(() => store.classes.sweep(batch))
    }),
    sweep('learners with nothing but a name', hourMs, () =>
      inBatches(() => store.learners.sweep(batch, (id) => learnerKeys(id, config))),
    ),
    sweep('interrupted erasures', erasingMs, async () => void (await goOnErasing(store, config.authorityHome))),
    sweep('erasures that learners asked for', hourMs, () => sweepErasures({ store, config, notices, log, audit })),
    sweep('deleted studios and accounts', hourMs, () => sweepEndings({ store, audit })),
    sweep('sessions of studios', hourMs, store.studioSessions.sweep),
    sweep('unfinished sign-ins', hourMs, store.signInAttempts.sweep),
    sweep('links in mails', hourMs, store.mailLinks.sweep),
    sweep('mails', hourMs, () => inBatches(() => store.mails.sweep(mails.keptDays, batch))),
    sweep('notifications', hourMs, () => inBatches(() => store.notices.sweep(notifications.days, batch))),
    sweep('solved challenges', hourMs, store.studioMessages.sweep),
    sweep('exports', hourMs, () => inBatches(() => store.exportJobs.sweep(exports.keptDays, batch))),
    sweep('deliveries to webhooks', hourMs, async () => {
      await store.webhooks.forgetOld()
      await inBatches(async () => Math.min(batch, await store.webhookDeliveries.sweep(webhooks.keptDays, batch)))
    }),
    sweep('personal tokens', hourMs, () => inBatches(() => store.personalTokens.sweep(batch))),
    sweep('audit log', hourMs, () => inBatches(() => store.audit.sweep(config.auditDays, batch))),
    sweep('head of the audit log', headMs, logHead),
    sweep('counts of the portal', hourMs, store.portalLimits.sweep),
    sweep('games that are nearly full', hourMs, () => warnOfFullGames({ store, notices, log })),
    sweep('interrupted moves of games', movesMs, async () => void (await store.cells.undoMoves())),
    sweep('rows of moved games', storageMs, async () => {
      while (!ending.signal.aborted && (await store.cells.sweepLeft()) > 0);
    }),
    sweep('definitions and names of a killed core', toldMs, async () => {
      while (!ending.signal.aborted && (await store.statements.tellRest(toldSeconds)) > 0);
    }),
    sweep('bytes of games', bytesMs, room.count),
    sweep('counts of opened charts', foldMs, () => foldOpened(store.tallies, () => ending.signal.aborted)),
    sweep('storage', storageMs, () => sweepStorage({ store, storage }, ending.signal)),
  ])
  return async () => {
    ending.abort()
    await running
  }
}
