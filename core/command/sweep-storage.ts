import { setTimeout as wait } from 'node:timers/promises'
import type { Files } from './files.ts'

const everyMs = 30_000
const batch = 20

/** One round: uploads whose time is over end, and what is due is removed, by one core each. */
export async function sweepOnce({ store, storage }: Pick<Files, 'store' | 'storage'>): Promise<void> {
  await store.uploads.expire()
  for (let keys = await store.garbage.claim(batch); keys.length > 0; keys = await store.garbage.claim(batch)) {
    for (const key of keys) await storage.remove(key)
    await store.garbage.gone(keys)
  }
}

/** Sweeps now and about every half minute, each core at its own time. Returns what ends that. */
export function sweepStorage(files: Pick<Files, 'store' | 'storage'>, fail: (error: unknown) => void): () => Promise<void> {
  const ending = new AbortController()
  const run = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await sweepOnce(files).catch(fail)
      await wait(everyMs * (0.75 + Math.random() / 2), undefined, { signal: ending.signal, ref: false }).catch(() => undefined)
    }
  }
  const running = run()
  return () => {
    ending.abort()
    return running
  }
}
