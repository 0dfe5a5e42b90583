import { isDeepStrictEqual } from 'node:util'
import type { CoreMeters } from './meters.ts'
import type { Store } from './store/store.ts'
import type { Batch, Outcome } from './store/cell/write-statements.ts'
import { parse } from './xapi/parse.ts'

/** Bounds of the comparison of resent statements: number at a time, size, pause. */
const most = { statements: 100, characters: 64 * 1024 }
const pauseMs = 100

/** Wraps the store: counts its commits, folds and sweeps. */
export function meteredStore(store: Store, meters: CoreMeters): Store {
  const resent = resentCounter(store, meters)
  const counted =
    (what: string, sweep: (...rest: [number, number]) => Promise<number>) =>
    async (...rest: [number, number]) => {
      const gone = await sweep(...rest)
      if (gone > 0) meters.swept.add([what], gone)
      return gone
    }
  return {
    ...store,
    statements: {
      ...store.statements,
      async store(group: readonly Batch[]): Promise<Outcome[]> {
        const began = performance.now()
        const outcomes = await store.statements.store(group)
        meters.groupSeconds.observe((performance.now() - began) / 1000)
        meters.groupRequests.observe(group.length)
        let stored = 0
        let skipped = 0
        for (const [index, outcome] of outcomes.entries()) {
          if (typeof outcome === 'string') continue
          stored += outcome.stored.length
          skipped += outcome.skipped
          if (outcome.skipped > 0) resent(group[index]!, outcome.stored)
        }
        meters.groupStatements.observe(stored + skipped)
        meters.statements.add(['stored'], stored)
        if (skipped > 0) meters.statements.add(['skipped'], skipped)
        return outcomes
      },
    },
    attachments: { ...store.attachments, sweep: counted('attachments', store.attachments.sweep) },
    launches: { ...store.launches, sweep: counted('sessions', store.launches.sweep) },
    garbage: {
      ...store.garbage,
      async gone(keys) {
        await store.garbage.gone(keys)
        meters.swept.add(['files'], keys.length)
      },
    },
    tallies: {
      ...store.tallies,
      async fold(game) {
        const step = await store.tallies.fold(game)
        meters.folds.add([step])
        return step
      },
    },
  }
}

/**
 * Tells statements that were sent again from those that say something else under an id that is taken, off the way of
 * requests: a few at a time, the others are counted as unchecked.
 */
function resentCounter({ statements }: Pick<Store, 'statements'>, { resent }: CoreMeters) {
  let busy = false

  async function check({ game, prepared }: Batch, stored: readonly number[]): Promise<void> {
    const sent = new Map(prepared.statements.map(({ id, body }) => [id, body]))
    const own = new Set(stored)
    const found = (await statements.bodies(game, [...sent.keys()])).filter((one) => !own.has(one.stored))
    for (const { id, body } of found) {
      const other = sent.get(id)!
      if (body.length > most.characters || other.length > most.characters) resent.add(['unchecked'])
      else resent.add([isSame(body, other) ? 'same' : 'other'])
    }
  }

  return (batch: Batch, stored: readonly number[]): void => {
    if (busy || batch.prepared.statements.length > most.statements) {
      resent.add(['unchecked'], batch.prepared.ids.length - stored.length)
      return
    }
    busy = true
    check(batch, stored)
      .catch(() => resent.add(['unchecked'], batch.prepared.ids.length - stored.length))
      .finally(() => setTimeout(() => (busy = false), pauseMs).unref())
  }
}

/** Whether both say the same; a time that core added may differ. */
function isSame(one: string, other: string): boolean {
  if (one === other) return true
  const [left, right] = [one, other].map((body) => ({ ...(parse(body) as object), timestamp: undefined }))
  return isDeepStrictEqual(left, right)
}
