import { setTimeout } from 'node:timers/promises'
import { countOf, gauge, type Family } from '../shared/metrics/meter.ts'
import type { Core } from './context.ts'

/** All metrics of a core: its counters, and gauges of its present state. */
export function familiesOf(core: Core): Family[] {
  const { store, ingest, limiter, observers, followers, pageFollowers, meters } = core
  let through = 0
  return [
    ...Object.values(meters),
    gauge('lrs_core_ingest_waiting_bytes', 'Bytes of statements that wait for a commit.', ingest.waitingBytes),
    gauge(
      'lrs_core_pool_connections',
      'Database connections by state.',
      () => ({ used: store.pool().used, free: store.pool().free }),
      'state',
    ),
    gauge(
      'lrs_core_pool_connections_max',
      'Most database connections of this core.',
      () => core.config.databaseConnections,
    ),
    gauge('lrs_core_pool_waiting', 'Calls that wait for a database connection.', () => store.pool().waiting),
    gauge(
      'lrs_core_watermark_lag_seconds',
      'Time from the watermark (up to which the order is complete) to this clock.',
      async () => {
        // when the database does not answer, the lag grows and the scrape does not wait
        through = await Promise.race([store.through().catch(() => through), setTimeout(1_000, through, { ref: false })])
        return through === 0 ? 0 : Math.max(0, Date.now() / 1000 - through / 1e6)
      },
    ),
    gauge('lrs_core_limiter_windows', 'Open windows of the request limits.', () => limiter?.size ?? 0),
    gauge('lrs_core_observers', 'Viewers of sandbox sessions.', () => observers.count()),
    gauge(
      'lrs_core_followers',
      'Followers of the store: services, and pages of the portal.',
      () => followers.count() + pageFollowers.count(),
    ),
    countOf('lrs_core_reconnects_total', 'Database connections that broke.', () => store.pool().broken),
  ]
}
