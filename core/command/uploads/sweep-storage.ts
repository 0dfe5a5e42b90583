import type { Files } from './files.ts'

const batch = 20

/** Ends expired uploads and removes files that are due as garbage. Each file is claimed by one core. */
export async function sweepStorage(
  { store, storage }: Pick<Files, 'store' | 'storage'>,
  signal?: AbortSignal,
): Promise<void> {
  await store.uploads.expire()
  for (let keys = await store.garbage.claim(batch); keys.length > 0; keys = await store.garbage.claim(batch)) {
    for (const key of keys) await storage.remove(key)
    await store.garbage.gone(keys)
    if (signal?.aborted) return
  }
}
