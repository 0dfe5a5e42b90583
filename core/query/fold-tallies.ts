import { setTimeout } from 'node:timers/promises'
import type { TallyStore } from '../store/tallies.ts'

/** Milliseconds after which one who waits for the counts gets those that there are. */
const patience = 2_000
/** Milliseconds between looks while another one folds the same game. */
const pause = 50

/** Folds the game's statements into its tallies until all are counted, or for as long as somebody may be kept waiting. */
export async function foldTallies(tallies: TallyStore, game: number, now: () => number = () => performance.now()): Promise<void> {
  const ends = now() + patience
  await tallies.begin(game)
  while (now() < ends) {
    const step = await tallies.fold(game)
    if (step === 'done') return
    if (step === 'busy') await setTimeout(pause)
  }
}
