import type { Store } from '../store/store.ts'

const everyMs = 60 * 60 * 1000
/** A session that ended so long ago is of no use to anybody. */
const ageSeconds = 24 * 60 * 60
const batch = 100

/** Forgets sessions in the player that ended long ago, now and every hour. Returns what ends that. */
export function sweepLaunches(launches: Store['launches'], fail: (error: unknown) => void): () => void {
  const sweep = async (): Promise<void> => {
    while ((await launches.sweep(ageSeconds, batch)) === batch);
  }
  const run = (): void => void sweep().catch(fail)
  run()
  const timer = setInterval(run, everyMs).unref()
  return () => clearInterval(timer)
}
