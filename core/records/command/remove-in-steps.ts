import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds for which writers may wait for one step: the next step takes fewer statements if it was longer. */
const shortStep = 60

/**
 * Removes statements in steps until none is left.
 * @param step removes the next ones; 'busy': the game is being moved
 * @param signal ends it between two steps
 */
export async function removeInSteps(
  step: (limit: number) => Promise<{ readonly removed: number; readonly waited: number } | 'busy'>,
  signal: AbortSignal,
): Promise<void> {
  for (let size = 50; ;) {
    signal.throwIfAborted()
    const done = await step(size)
    if (done === 'busy') {
      await pause(200)
      continue
    }
    const { removed, waited } = done
    if (removed === 0) return
    size = Math.min(1_000, Math.max(10, Math.round((size * shortStep) / Math.max(waited, 1))), size * 2)
    // writers get as much time as they lost, and more
    await pause(Math.min(500, 2 * waited))
  }
}
