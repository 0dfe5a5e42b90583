import { begin, isTracing, traceParent, within } from '../../../shared/tracing/trace.ts'
import type { IngestByCell } from './ingest.ts'
import type { Batch, Outcome } from '../store/cell/write-statements.ts'

type StoreGroup = (group: readonly Batch[]) => Promise<Outcome[]>

/**
 * While tracing is on, each request gets a span for its wait, and each group one for its commit. The commit belongs to
 * the first request's trace; the spans of the other requests and the commit's span link to each other.
 */
export function tracedIngest(store: StoreGroup, ingestWith: (store: StoreGroup) => IngestByCell): IngestByCell {
  if (!isTracing()) return ingestWith(store)
  const steps = new WeakMap<Batch, { parent: string; link(traceParent: string): void }>()

  const ingest = ingestWith((group) => {
    const waiting = group.flatMap((batch) => steps.get(batch) ?? [])
    const [parent, ...links] = waiting.map(({ parent }) => parent)
    if (parent === undefined) return store(group)
    const statements = group.reduce((sum, { prepared }) => sum + prepared.statements.length, 0)
    const attributes = { 'lrs.group.requests': group.length, 'lrs.group.statements': statements }
    return begin('commit group', { kind: 'internal', parent, links, attributes }, () => {
      for (const { link } of waiting.slice(1)) link(traceParent())
      return store(group)
    })
  })
  const storeBatch: IngestByCell['store'] = (batch) =>
    within('wait for commit', 'internal', (step) => {
      if (step) steps.set(batch, { parent: traceParent(), link: (other) => step.link(other) })
      return ingest.store(batch)
    })
  return { ...ingest, store: storeBatch }
}
