import type { Store } from '../store/store.ts'

const everyMs = 60 * 60 * 1000

/** Forgets ended sessions of studios, solved challenges and old counts, now and every hour. Returns what ends that. */
export function sweepAccounts(studios: Store['studios'], fail: (error: unknown) => void): () => void {
  const run = (): void => void studios.sweep().catch(fail)
  run()
  const timer = setInterval(run, everyMs).unref()
  return () => clearInterval(timer)
}
