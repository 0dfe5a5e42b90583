import type { Store } from '../store/store.ts'

const everyMs = 60 * 60 * 1000
/** Older than any request that may still name the content. */
const ageSeconds = 60 * 60
const batch = 100

/**
 * Removes contents of attachments that never came to belong to a statement, now and every hour.
 * Returns what ends that.
 */
export function sweepAttachments(store: Store['attachments'], fail: (error: unknown) => void): () => void {
  const sweep = async (): Promise<void> => {
    while ((await store.sweep(ageSeconds, batch)) === batch);
  }
  const run = (): void => void sweep().catch(fail)
  run()
  const timer = setInterval(run, everyMs).unref()
  return () => clearInterval(timer)
}
