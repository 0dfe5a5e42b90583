import { Counter, Histogram, Registry } from 'prom-client'
import { latencies } from '../../../shared/metrics/latencies.ts'

const groupSizes = [1, 2, 5, 10, 20, 50, 100, 250, 500, 1000, 2500]

/** Counters of one core, for Prometheus. Label values come from this code: they are never ids or texts from outside. */
export function coreMeters() {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
    calls: new Counter({
      name: 'lrs_core_calls_total',
      help:
        'Calls by operation, way in (relay, rpc) and outcome: ok, cancelled (the caller has gone) or the reason ' +
        'of the refusal.',
      labelNames: ['operation', 'way', 'outcome'],
      registers,
    }),
    callSeconds: new Histogram({
      name: 'lrs_core_call_seconds',
      help: 'Duration of calls; of streams until the first message.',
      buckets: latencies,
      labelNames: ['operation', 'way'],
      registers,
    }),
    groupRequests: new Histogram({
      name: 'lrs_core_group_requests',
      help: 'Requests in one commit.',
      buckets: groupSizes,
      registers,
    }),
    groupStatements: new Histogram({
      name: 'lrs_core_group_statements',
      help: 'Statements in one commit of a cell.',
      buckets: groupSizes,
      labelNames: ['cell'],
      registers,
    }),
    groupRows: new Histogram({
      name: 'lrs_core_group_rows',
      help: 'Rows that one commit of a cell writes under the lock of the order: statements, postings and attachments.',
      buckets: [...groupSizes, 5000, 10_000],
      labelNames: ['cell'],
      registers,
    }),
    groupSeconds: new Histogram({
      name: 'lrs_core_group_seconds',
      help: 'Duration of commits of a cell.',
      buckets: latencies,
      labelNames: ['cell'],
      registers,
    }),
    statements: new Counter({
      name: 'lrs_core_statements_total',
      help: 'Statements by outcome: stored, or skipped because the id is stored already.',
      labelNames: ['outcome'],
      registers,
    }),
    poolWait: new Histogram({
      name: 'lrs_core_pool_wait_seconds',
      help: 'Time that calls waited for a database connection.',
      buckets: latencies,
      registers,
    }),
    folds: new Counter({
      name: 'lrs_core_folds_total',
      help: 'Steps that add statements to the tallies of charts, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    mails: new Counter({
      name: 'lrs_core_mails_total',
      help: 'Attempts to send a mail by outcome: sent, failed (tried again later), given-up.',
      labelNames: ['outcome'],
      registers,
    }),
    webhooks: new Counter({
      name: 'lrs_core_webhooks_total',
      help: 'Attempts to deliver to a webhook by outcome: delivered, failed (tried again later), given-up, turned-off.',
      labelNames: ['outcome'],
      registers,
    }),
    forwarded: new Counter({
      name: 'lrs_core_forwarded_total',
      help: 'Statements that went on to other stores by outcome: sent, set-aside (the target does not take it).',
      labelNames: ['outcome'],
      registers,
    }),
    forwardFailures: new Counter({
      name: 'lrs_core_forward_failures_total',
      help: 'Attempts of forwards that failed: target (it refused or did not answer), blocked (its address is not allowed).',
      labelNames: ['why'],
      registers,
    }),
    auditLost: new Counter({
      name: 'lrs_core_audit_lost_total',
      help: 'Entries of the audit log that could not be written; the log of the process has them.',
      registers,
    }),
    swept: new Counter({
      name: 'lrs_core_swept_total',
      help: 'Rows and files that the sweep deleted: contents of attachments, sessions, files.',
      labelNames: ['what'],
      registers,
    }),
  }
}

export type CoreMeters = ReturnType<typeof coreMeters>

/** Calls since the start by operation, the most frequent first, and how many of them were refused or failed. */
export async function callCounts({ calls }: CoreMeters) {
  const counts = new Map<string, { call: string; count: number; failed: number }>()
  for (const { labels, value } of (await calls.get()).values) {
    const call = String(labels.operation)
    const { count, failed } = counts.get(call) ?? { count: 0, failed: 0 }
    counts.set(call, { call, count: count + value, failed: labels.outcome === 'ok' ? failed : failed + value })
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)
}
