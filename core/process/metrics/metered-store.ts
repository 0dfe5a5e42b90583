import type { CoreMeters } from './meters.ts'
import type { Store } from '../../store.ts'

/** Wraps the store: counts its folds and sweeps. */
export function meteredStore(store: Store, meters: CoreMeters): Store {
  const counted =
    (what: string, sweep: (...rest: [number, number]) => Promise<number>) =>
    async (...rest: [number, number]) => {
      const gone = await sweep(...rest)
      if (gone > 0) meters.swept.inc({ what }, gone)
      return gone
    }
  return {
    ...store,
    attachments: { ...store.attachments, sweep: counted('attachments', store.attachments.sweep) },
    launches: { ...store.launches, sweep: counted('sessions', store.launches.sweep) },
    garbage: {
      ...store.garbage,
      async gone(keys) {
        await store.garbage.gone(keys)
        meters.swept.inc({ what: 'files' }, keys.length)
      },
    },
    tallies: {
      ...store.tallies,
      async fold(game) {
        const step = await store.tallies.fold(game)
        meters.folds.inc({ outcome: step })
        return step
      },
    },
  }
}
