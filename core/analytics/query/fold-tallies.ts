import { setTimeout } from 'node:timers/promises'
import type { Pace } from '../../process/jobs/pace.ts'
import type { TallyStore } from '../store/cell/tallies.ts'

/** Milliseconds after which the caller gets the counts so far. */
const patience = 2_000
/** Milliseconds between tries while another call folds the same game. */
const pause = 50
/** Milliseconds of one game, before the next one has its turn. */
const turn = 2_000
/** Milliseconds of steps between two rests. */
const burst = 500

/** What counts statements in steps. */
export type Folding = Pick<TallyStore, 'begin' | 'fold'>

/** Adds the game's statements to its tallies until all are counted or the time is over. */
export async function foldTallies(
  tallies: Folding,
  game: number,
  now: () => number = () => performance.now(),
): Promise<void> {
  const ends = now() + patience
  await tallies.begin(game)
  while (now() < ends) {
    const step = await tallies.fold(game)
    if (step === 'done') return
    if (step === 'busy') await setTimeout(pause)
  }
}

/**
 * Counts on for games whose charts were opened lately, so that the next view has little left to count.
 * @param inTurn rests after some steps, so that writers lose little
 */
export async function foldOpened(
  tallies: Pick<TallyStore, 'behind' | 'fold'>,
  isEnding: () => boolean,
  inTurn: Pace,
  now: () => number = () => performance.now(),
): Promise<void> {
  async function someSteps(game: number) {
    const ends = now() + burst
    let step = await tallies.fold(game)
    while (step === 'more' && now() < ends && !isEnding()) step = await tallies.fold(game)
    return step
  }
  for (const game of await tallies.behind()) {
    const ends = now() + turn
    while (now() < ends && !isEnding() && (await inTurn(() => someSteps(game))) === 'more');
  }
}
