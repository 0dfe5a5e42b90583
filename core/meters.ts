import { setTimeout } from 'node:timers/promises'
import { counter, countOf, gauge, histogram, latencies, type Family } from '../metrics/meter.ts'
import type { Core } from './context.ts'

const groupSizes = [1, 2, 5, 10, 20, 50, 100, 250, 500, 1000, 2500]

/** What a core counts as it goes; `metrics/` serves it where METRICS ports are set. */
export function coreMeters() {
  return {
    calls: counter('lrs_core_calls_total', 'Calls by operation, way in (relay, rpc) and outcome: ok or the reason of the refusal.', 'operation', 'way', 'outcome'),
    callSeconds: histogram('lrs_core_call_seconds', 'Time of calls, of streams until their first answer.', latencies, 'operation', 'way'),
    groupRequests: histogram('lrs_core_group_requests', 'Requests that were committed together.', groupSizes),
    groupStatements: histogram('lrs_core_group_statements', 'Statements that were committed together.', groupSizes),
    groupSeconds: histogram('lrs_core_group_seconds', 'Time of the commits of groups.', latencies),
    statements: counter('lrs_core_statements_total', 'Statements by outcome: stored, or skipped because the id is there already.', 'outcome'),
    resent: counter('lrs_core_statements_resent_total', 'Skipped statements by what they say beside the stored one: same, other, unchecked.', 'content'),
    poolWait: histogram('lrs_core_pool_wait_seconds', 'Waits for a connection to the database.', latencies),
    folds: counter('lrs_core_folds_total', 'Steps of folding statements into the counts of charts, by outcome.', 'outcome'),
    swept: counter('lrs_core_swept_total', 'What sweeps removed: contents of attachments, sessions, files.', 'what'),
  }
}

export type CoreMeters = ReturnType<typeof coreMeters>

/** All families of a core: what it counts, and what is as it is at the moment. */
export function familiesOf(core: Core): Family[] {
  const { store, ingest, limiter, observers, followers, meters } = core
  let through = 0
  return [
    ...Object.values(meters),
    gauge('lrs_core_ingest_waiting_bytes', 'Bytes of statements that wait for their commit.', ingest.waitingBytes),
    gauge('lrs_core_pool_connections', 'Connections to the database by state.', () => ({ used: store.pool().used, free: store.pool().free }), 'state'),
    gauge('lrs_core_pool_connections_max', 'Connections that this core may hold.', () => core.config.databaseConnections),
    gauge('lrs_core_pool_waiting', 'Who waits for a connection.', () => store.pool().waiting),
    gauge('lrs_core_watermark_lag_seconds', 'How far the order that is known to be complete is behind the clock of this machine.', async () => {
      // a database that does not answer shows as a lag that grows, not as a scrape that waits for it
      through = await Promise.race([store.through().catch(() => through), setTimeout(1_000, through, { ref: false })])
      return through === 0 ? 0 : Math.max(0, Date.now() / 1000 - through / 1e6)
    }),
    gauge('lrs_core_limiter_windows', 'Open windows of the request limits.', () => limiter?.size ?? 0),
    gauge('lrs_core_observers', 'Who watches sandbox sessions.', () => observers.count()),
    gauge('lrs_core_followers', 'Who follows the store.', () => followers.count()),
    countOf('lrs_core_reconnects_total', 'Connections of the database that broke by themselves.', () => store.pool().broken),
  ]
}
