import { removeStored, type Files } from './files.ts'

const batch = 20
/** Seconds after which another core may remove what this one was to remove: files of builds are many. */
const leaseSeconds = 10 * 60

/** Ends expired uploads and removes files that are due as garbage. One core at a time removes a file. */
export async function sweepStorage(
  { store, storage }: Pick<Files, 'store' | 'storage'>,
  signal?: AbortSignal,
): Promise<void> {
  await store.uploads.expire()
  for (;;) {
    const keys = await store.garbage.lease(leaseSeconds, batch)
    if (keys.length === 0) return
    for (const key of keys) await removeStored(storage, key)
    await store.garbage.gone(keys)
    if (signal?.aborted) return
  }
}
