import { setTimeout as wait } from 'node:timers/promises'
import type { Registry } from 'prom-client'
import { makeLog } from '../shared/process/log.ts'
import { serviceAccounts } from './records/access/caller.ts'
import { bootstrap } from './games/command/credentials.ts'
import { startAccountJobs } from './accounts/jobs.ts'
import { startAnalyticsJobs } from './analytics/jobs.ts'
import { startConnectionJobs, type Intervals } from './connections/jobs.ts'
import { startGameJobs } from './games/jobs.ts'
import { startRecordJobs } from './records/jobs.ts'
import { keepTenancy } from './records/command/keep-tenancy.ts'
import type { Config } from './process/config/config.ts'
import type { Core } from './context.ts'
import { meteredStore } from './process/metrics/metered-store.ts'
import { coreMeters } from './process/metrics/meters.ts'
import { registerGauges } from './process/metrics/gauges.ts'
import { outage, outages } from './process/outage.ts'
import { jobs } from './process/jobs/jobs.ts'
import { listen, type Listening } from './rpc/listen.ts'
import { openStore } from './store.ts'
import { watchServers } from './records/cells/watch-servers.ts'
import { accountParts } from './accounts/wing.ts'
import { analyticsParts } from './analytics/wing.ts'
import { connectionParts } from './connections/wing.ts'
import { gameParts } from './games/wing.ts'
import { recordParts } from './records/wing.ts'

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
  const servers = watchServers(config.cellServers, config.cellServersFile, log)
  const opened =
    overrides.store ??
    openStore(
      {
        url: config.databaseUrl,
        ownerUrl: config.migrationDatabaseUrl,
        secretKeys: config.secretKeys,
        connections: config.databaseConnections,
        wait: patience,
        statementTimeout: 10_000,
        outage: outage(log),
        waits: meters.poolWait,
      },
      { urls: servers.current, outageOf: outages(log) },
      config.readUrls,
    )
  const store = meteredStore(opened, meters)
  const base = { config, log, store, meters, patience }
  const games = gameParts(base, overrides)
  const core: Core = {
    ...base,
    jobs: overrides.jobs ?? jobs(),
    services: serviceAccounts(config.serviceTokens),
    ...recordParts(base, games.tokens, overrides),
    ...analyticsParts(base),
    ...accountParts(base, overrides),
    ...games,
    ...connectionParts(base),
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
        await Promise.all(running.map(async ({ leave }) => leave?.()))
        // a mail that the server is taking is not sent twice; one that hangs is tried again
        const stopped = Promise.all(running.map(async ({ stopCalls }) => stopCalls?.()))
        await Promise.race([stopped, wait(3_000, undefined, { ref: false })])
        await core.outgoing.close()
        await core.deliveries.close()
        await stopped
        await listening.close()
        await Promise.all(running.map(({ stop }) => stop()))
        for (const { flush } of running) await flush?.()
        servers.close()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}
