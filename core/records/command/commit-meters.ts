import { isDeepStrictEqual } from 'node:util'
import { rowsOf, type Committed } from './ingest.ts'
import type { CoreMeters } from '../../process/metrics/meters.ts'
import type { Store } from '../../store.ts'
import type { Batch } from '../store/cell/write-statements.ts'
import { parse } from '../xapi/json.ts'

/** Bounds of the comparison of resent statements: statements of a request, size of each, pause after a request. */
const most = { statements: 100, characters: 64 * 1024 }
const pauseMs = 100

/** Counts commits, and what they stored. */
export function commitMeters(store: Pick<Store, 'statements'>, meters: CoreMeters): Committed {
  const resent = resentCounter(store, meters)
  return (group, outcomes, ms) => {
    const { cell } = group[0]!
    meters.groupSeconds.observe({ cell }, ms / 1000)
    meters.groupRequests.observe(group.length)
    meters.groupRows.observe(
      { cell },
      group.reduce((sum, batch) => sum + rowsOf(batch), 0),
    )
    let stored = 0
    let skipped = 0
    for (const [index, outcome] of outcomes.entries()) {
      if (typeof outcome === 'string') continue
      stored += outcome.stored.length
      skipped += outcome.skipped
      if (outcome.skipped > 0) resent(group[index]!, outcome.stored)
    }
    meters.groupStatements.observe({ cell }, stored + skipped)
    meters.statements.inc({ outcome: 'stored' }, stored)
    if (skipped > 0) meters.statements.inc({ outcome: 'skipped' }, skipped)
  }
}

/**
 * Compares skipped statements with the stored ones, after the answer: either the same statement was sent again, or its
 * id was used for another one. One request is compared at a time; the statements of others count as unchecked.
 */
function resentCounter({ statements }: Pick<Store, 'statements'>, { resent }: CoreMeters) {
  let busy = false

  async function check({ game, prepared }: Batch, stored: readonly number[]): Promise<void> {
    const sent = new Map(prepared.statements.map(({ id, body }) => [id, body]))
    const own = new Set(stored)
    const found = (await statements.bodies(game, [...sent.keys()])).filter((one) => !own.has(one.stored))
    for (const { id, body } of found) {
      const other = sent.get(id)!
      if (body.length > most.characters || other.length > most.characters) resent.inc({ content: 'unchecked' })
      else resent.inc({ content: isSame(body, other) ? 'same' : 'other' })
    }
  }

  return (batch: Batch, stored: readonly number[]): void => {
    if (busy || batch.prepared.statements.length > most.statements) {
      resent.inc({ content: 'unchecked' }, batch.prepared.ids.length - stored.length)
      return
    }
    busy = true
    check(batch, stored)
      .catch(() => resent.inc({ content: 'unchecked' }, batch.prepared.ids.length - stored.length))
      .finally(() => setTimeout(() => (busy = false), pauseMs).unref())
  }
}

/** Whether two statements are equal but for `timestamp`, which core may have added. */
function isSame(one: string, other: string): boolean {
  if (one === other) return true
  const [left, right] = [one, other].map((body) => ({ ...(parse(body) as object), timestamp: undefined }))
  return isDeepStrictEqual(left, right)
}
