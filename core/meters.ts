import { counter, histogram, latencies } from '../shared/metrics/meter.ts'

const groupSizes = [1, 2, 5, 10, 20, 50, 100, 250, 500, 1000, 2500]

/** Counters of one core, for Prometheus. */
export function coreMeters() {
  return {
    calls: counter(
      'lrs_core_calls_total',
      'Calls by operation, way in (relay, rpc) and outcome: ok or the reason of the refusal.',
      'operation',
      'way',
      'outcome',
    ),
    callSeconds: histogram(
      'lrs_core_call_seconds',
      'Duration of calls; of streams until the first message.',
      latencies,
      'operation',
      'way',
    ),
    groupRequests: histogram('lrs_core_group_requests', 'Requests in one commit.', groupSizes),
    groupStatements: histogram('lrs_core_group_statements', 'Statements in one commit.', groupSizes),
    groupSeconds: histogram('lrs_core_group_seconds', 'Duration of commits.', latencies),
    statements: counter(
      'lrs_core_statements_total',
      'Statements by outcome: stored, or skipped because the id is stored already.',
      'outcome',
    ),
    resent: counter(
      'lrs_core_statements_resent_total',
      'Skipped statements, compared with the stored one: same, other, unchecked.',
      'content',
    ),
    poolWait: histogram('lrs_core_pool_wait_seconds', 'Time that calls waited for a database connection.', latencies),
    folds: counter(
      'lrs_core_folds_total',
      'Steps that add statements to the tallies of charts, by outcome.',
      'outcome',
    ),
    swept: counter(
      'lrs_core_swept_total',
      'Rows and files that the sweep deleted: contents of attachments, sessions, files.',
      'what',
    ),
  }
}

export type CoreMeters = ReturnType<typeof coreMeters>
