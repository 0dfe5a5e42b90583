import { setTimeout as wait } from 'node:timers/promises'
import type { Registry } from 'prom-client'
import { makeLog } from '../shared/process/log.ts'
import { openStorage } from '../storage/open.ts'
import { authenticator } from './records/access/authenticate.ts'
import { captcha } from './accounts/access/captcha.ts'
import { knownBrowsers } from './accounts/access/known-browsers.ts'
import { linkTokens } from './accounts/access/link-tokens.ts'
import { launchTokens } from './games/access/launch-tokens.ts'
import { passwords } from './accounts/access/passwords.ts'
import { providerList } from './accounts/access/provider-list.ts'
import { reservations } from './records/access/reservations.ts'
import { sealer } from './accounts/access/sealed.ts'
import { serviceAccounts } from './rpc/service-accounts.ts'
import { sessions } from './accounts/access/sessions.ts'
import { tickets } from './accounts/access/tickets.ts'
import { byteAllowance } from './process/limits/byte-allowance.ts'
import { ingest } from './records/command/ingest.ts'
import { ingestByCell } from './records/command/ingest-by-cell.ts'
import { bootstrap } from './games/command/credentials.ts'
import { startAccountJobs } from './accounts/jobs.ts'
import { startAnalyticsJobs } from './analytics/jobs.ts'
import { startConnectionJobs, type Intervals } from './connections/jobs.ts'
import { startGameJobs } from './games/jobs.ts'
import { startRecordJobs } from './records/jobs.ts'
import { keepTenancy } from './records/command/keep-tenancy.ts'
import { noteAudit } from './accounts/command/note-audit.ts'
import { noteEvents } from './games/command/note-events.ts'
import { noteRefusals } from './analytics/command/note-refusals.ts'
import { attachmentReceiver } from './records/command/receive-attachments.ts'
import { fairQueue } from './process/concurrency/fair-queue.ts'
import { slots } from './process/concurrency/slots.ts'
import type { Config } from './process/config/config.ts'
import type { Core } from './context.ts'
import {
  deliveries as deliveryLimits,
  exports as exportLimits,
  mails as mailLimits,
  outgoing as callLimits,
  sizes,
} from '../shared/limits.ts'
import { commitMeters } from './records/command/commit-meters.ts'
import { exporting } from './connections/export/exporting.ts'
import { meteredStore } from './process/metrics/metered-store.ts'
import { coreMeters } from './process/metrics/meters.ts'
import { registerGauges } from './process/metrics/gauges.ts'
import { notices } from './accounts/notices/notices.ts'
import { outage, outages } from './process/outage.ts'
import { outgoing } from './process/outgoing/outgoing.ts'
import { packages } from './games/package/packages.ts'
import { followers } from './records/query/follow.ts'
import { observers } from './games/query/observe.ts'
import { warnOfPlays } from './analytics/command/warn-of-plays.ts'
import { rateLimiter } from './process/limits/rate-limiter.ts'
import { gameRoom } from './records/access/game-room.ts'
import { jobs } from './process/jobs/jobs.ts'
import { isAway } from './process/refusal.ts'
import { listen, type Listening } from './rpc/listen.ts'
import { openStore } from './store.ts'
import { tracedIngest } from './records/command/traced-ingest.ts'
import { heavyWork } from './records/worker/worker.ts'
import { storeStreams } from './process/limits/store-streams.ts'

export interface RunningCore extends Core, Listening {
  readonly metrics: Registry
  close(): Promise<void>
}

interface Overrides extends Partial<Core> {
  /** Milliseconds that a call waits for the database, or for its turn. */
  readonly patience?: number
  /** Milliseconds between two looks for work beside calls. */
  readonly intervals?: Intervals & { readonly mailMs?: number }
}

/** Wires a core process and starts it. It updates the schema before it takes the first call. */
export async function createCore(
  config: Config,
  { patience = 2_000, intervals = {}, ...overrides }: Overrides = {},
): Promise<RunningCore> {
  const log = overrides.log ?? makeLog('core', config.logLevel, config.logFormat)
  const meters = overrides.meters ?? coreMeters()
  const database = outage(log)
  // core/process/outage.ts has logged that the database is away
  const outgoingFault = (fault: string): void => log.warn({ fault }, 'a fault in the thread of outgoing calls')
  const fail = (what: string) => (error: unknown) => log[isAway(error) ? 'debug' : 'warn']({ err: error }, what)
  const opened =
    overrides.store ??
    openStore(
      {
        url: config.databaseUrl,
        ownerUrl: config.migrationDatabaseUrl,
        connections: config.databaseConnections,
        wait: patience,
        statementTimeout: 10_000,
        onFailed: database.failed,
        onAnswered: database.answered,
        onWait: (seconds) => meters.poolWait.observe(seconds),
      },
      { urls: config.cellServers, tell: outages(log) },
    )
  const store = meteredStore(opened, meters)
  const work = overrides.work ?? heavyWork({ waiting: 64, waitingOfGame: 32, patience: 5_000, timeout: 10_000 })
  const tokens = overrides.tokens ?? launchTokens(config.signingKeys)
  const { rateLimitFactor: factor, attachmentsMaxBytes: largest } = config
  const sent = overrides.sent ?? (factor > 0 ? byteAllowance({ factor, largest, windows: 100_000 }) : undefined)
  const room = gameRoom(store)
  const core: Core = {
    config,
    log,
    store,
    meters,
    jobs: overrides.jobs ?? jobs(),
    ingest: tracedIngest(store.statements.store, (storeGroup) =>
      ingestByCell(
        () =>
          ingest(storeGroup, {
            committed: commitMeters(opened, meters),
            groupSize: 4_000,
            ahead: 1,
            maxWaitingBytes: mostWaiting,
            maxWaitingBytesOfGame: 16 * 1024 * 1024,
            closesAfter: patience,
          }),
        mostWaiting,
      ),
    ),
    attachments: attachmentReceiver(store.attachments, work, {
      slots: slotsFor('sent', 32),
      parts: sizes.statementsPerRequest,
      bytes: largest,
      sent,
      room,
    }),
    downloads: slotsFor('read', 256),
    tokens,
    authenticator: authenticator(store, tokens, config.rateLimitFactor),
    services: serviceAccounts(config.serviceTokens),
    sessions: sessions(store, config.secondFactor, config.mail !== undefined),
    passwords: overrides.passwords ?? passwords(),
    captcha: captcha(config.signingKeys[0]!),
    browsers: knownBrowsers(config.signingKeys),
    tickets: tickets(config.signingKeys),
    providers: providerList(store),
    links: linkTokens(config.signingKeys),
    notices: notices(store, config.mail !== undefined),
    sealer: sealer(config.secretKeys),
    limiter: config.rateLimitFactor > 0 ? rateLimiter({ factor: config.rateLimitFactor, windows: 200_000 }) : undefined,
    reservations: reservations(store.reservations, { renewMs: 1_000, longestMs: 3_000 }),
    sent,
    room,
    storage: openStorage(config.storage),
    packages: packages({
      storage: config.storage,
      maxExpanded: config.buildMaxExpanded,
      atOnce: 2,
      timeout: 10 * 60_000,
    }),
    work,
    outgoing: outgoing(
      {
        allowed: config.outgoingAllow,
        ownPorts: config.ownPorts,
        seconds: callLimits.seconds,
        mailSeconds: mailLimits.seconds,
      },
      outgoingFault,
    ),
    // a thread of its own, so that slow targets delay no mail and nobody who signs in
    deliveries: outgoing(
      {
        allowed: config.outgoingAllow,
        ownPorts: config.ownPorts,
        seconds: deliveryLimits.seconds,
        mailSeconds: mailLimits.seconds,
        sentBytes: deliveryLimits.sentBytes,
        atOnce: deliveryLimits.callsAtOnce,
        atOnceOfHost: deliveryLimits.callsOfHost,
      },
      outgoingFault,
    ),
    fairQueue: fairQueue({
      ...connectionsOfReads(config.databaseConnections),
      maxWaitingOfOne: 1_000,
      maxWait: patience,
    }),
    chartQueue: fairQueue({
      concurrency: 3,
      concurrencyOfOne: 1,
      maxWaitingOfOne: 20,
      maxWait: 5_000,
      refusal: 'Too many charts are being made at the moment; try again.',
    }),
    audit: noteAudit(store, {
      log,
      onLost: (entries) => meters.auditLost.inc(entries),
      everyMs: 60_000,
      kinds: 500,
      ofAccount: 300,
    }),
    refusals: noteRefusals(store.refusals, {
      kindsOfGame: 100,
      kinds: 5_000,
      everyMs: 5_000,
      fail: fail('refusals could not be counted in the database'),
    }),
    events: noteEvents(store.sandboxEvents, {
      ofSession: 200,
      inAll: 2_000,
      withinMs: 40,
      warn: (session, requests) => warnOfPlays(store, session, requests),
      fail: fail('events of sandbox sessions could not be stored'),
    }),
    observers: observers(store, { ofSession: 10, ofStudio: 30, inAll: 200, pollMs: 5_000 }),
    followers: followers(store, work, {
      ofGame: 20,
      inAll: 100,
      pollMs: 100,
      heartbeatMs: 5_000,
      fail: fail('new statements could not be looked up for followers'),
    }),
    // a page shows statements of other cores up to a second later, which saves queries
    pageFollowers: followers(store, work, {
      ofGame: 20,
      inAll: 200,
      pollMs: 1_000,
      heartbeatMs: 15_000,
      fail: fail('new statements could not be looked up for pages'),
    }),
    storeStreams: storeStreams({ inAll: 100, ofGame: 20, ofLearner: 2 }),
    exporting: exporting({ inAll: exportLimits.atOnce, ofOne: exportLimits.atOnceOfStudio }),
    ...overrides,
  }
  try {
    await store.migrate()
    await keepTenancy(store, config.tenancy)
    if (config.bootstrap) await bootstrap(store, config.authorityHome, config.bootstrap)
    const listening = await listen(core)
    const running = [
      startRecordJobs(core),
      startAnalyticsJobs(core),
      startAccountJobs(core, intervals),
      startGameJobs(core),
      startConnectionJobs(core, intervals),
    ]
    registerGauges(core)
    log.info({ port: listening.port, relayPort: listening.relayPort }, 'core is ready')
    return {
      ...core,
      ...listening,
      metrics: core.meters.registry,
      async close() {
        core.observers.close()
        core.followers.close()
        core.pageFollowers.close()
        core.storeStreams.close()
        core.exporting.close()
        await core.packages.close()
        await core.work.close()
        // a mail that the server is taking is not sent twice; one that hangs is tried again
        const stopped = Promise.all(running.map(async ({ stopCalls }) => stopCalls?.()))
        await Promise.race([stopped, wait(3_000, undefined, { ref: false })])
        await core.outgoing.close()
        await core.deliveries.close()
        await stopped
        await listening.close()
        await Promise.all(running.map(({ stop }) => stop()))
        await core.ingest.idle()
        await core.events.flush()
        await core.refusals.close()
        await core.audit.close()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Bytes of statements that wait for a commit. */
const mostWaiting = 64 * 1024 * 1024

const slotsFor = (what: string, inAll: number) =>
  slots({ inAll, ofOne: 8, refusal: `Too many attachments are being ${what} at the moment; try again.` })

/** Reads leave two connections free for writes. Two games with slow reads leave connections to the reads of others. */
function connectionsOfReads(connections: number) {
  const concurrency = Math.max(1, connections - 2)
  return { concurrency, concurrencyOfOne: Math.ceil(concurrency / 3) }
}
