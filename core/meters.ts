import { setTimeout } from 'node:timers/promises'
import { counter, countOf, gauge, histogram, latencies, type Family } from '../shared/metrics/meter.ts'
import type { Core } from './context.ts'

const groupSizes = [1, 2, 5, 10, 20, 50, 100, 250, 500, 1000, 2500]

/** Counters of one core. `metrics/` serves them when a metrics port is set. */
export function coreMeters() {
  return {
    calls: counter('lrs_core_calls_total', 'Calls by operation, way in (relay, rpc) and outcome: ok or the reason of the refusal.', 'operation', 'way', 'outcome'),
    callSeconds: histogram('lrs_core_call_seconds', 'Duration of calls; of streams until the first message.', latencies, 'operation', 'way'),
    groupRequests: histogram('lrs_core_group_requests', 'Requests in one commit.', groupSizes),
    groupStatements: histogram('lrs_core_group_statements', 'Statements in one commit.', groupSizes),
    groupSeconds: histogram('lrs_core_group_seconds', 'Duration of commits.', latencies),
    statements: counter('lrs_core_statements_total', 'Statements by outcome: stored, or skipped because the id is stored already.', 'outcome'),
    resent: counter('lrs_core_statements_resent_total', 'Skipped statements, compared with the stored one: same, other, unchecked.', 'content'),
    poolWait: histogram('lrs_core_pool_wait_seconds', 'Time that calls waited for a database connection.', latencies),
    folds: counter('lrs_core_folds_total', 'Steps that add statements to the tallies of charts, by outcome.', 'outcome'),
    swept: counter('lrs_core_swept_total', 'Rows and files that the sweep deleted: contents of attachments, sessions, files.', 'what'),
  }
}

export type CoreMeters = ReturnType<typeof coreMeters>

/** All metrics of a core: its counters, and gauges of its present state. */
export function familiesOf(core: Core): Family[] {
  const { store, ingest, limiter, observers, followers, meters } = core
  let through = 0
  return [
    ...Object.values(meters),
    gauge('lrs_core_ingest_waiting_bytes', 'Bytes of statements that wait for a commit.', ingest.waitingBytes),
    gauge('lrs_core_pool_connections', 'Database connections by state.', () => ({ used: store.pool().used, free: store.pool().free }), 'state'),
    gauge('lrs_core_pool_connections_max', 'Most database connections of this core.', () => core.config.databaseConnections),
    gauge('lrs_core_pool_waiting', 'Calls that wait for a database connection.', () => store.pool().waiting),
    gauge('lrs_core_watermark_lag_seconds', 'Time from the watermark (up to which the order is complete) to this clock.', async () => {
      // when the database does not answer, the lag grows and the scrape does not wait
      through = await Promise.race([store.through().catch(() => through), setTimeout(1_000, through, { ref: false })])
      return through === 0 ? 0 : Math.max(0, Date.now() / 1000 - through / 1e6)
    }),
    gauge('lrs_core_limiter_windows', 'Open windows of the request limits.', () => limiter?.size ?? 0),
    gauge('lrs_core_observers', 'Viewers of sandbox sessions.', () => observers.count()),
    gauge('lrs_core_followers', 'Followers of the store.', () => followers.count()),
    countOf('lrs_core_reconnects_total', 'Database connections that broke.', () => store.pool().broken),
  ]
}
