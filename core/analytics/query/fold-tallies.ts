import { performance, type EventLoopUtilization } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import type { TallyStore } from '../store/cell/tallies.ts'

/** Milliseconds after which the caller gets the counts so far. */
const patience = 2_000
/** Milliseconds between tries while another call folds the same game. */
const pause = 50
/** Milliseconds of one game, before the next one has its turn. */
const turn = 2_000

/** Adds the game's statements to its tallies until all are counted or the time is over. */
export async function foldTallies(
  tallies: Pick<TallyStore, 'begin' | 'fold'>,
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

/** Counts on for games whose charts were opened lately, so that the next view has little left to count. */
export async function foldOpened(
  tallies: Pick<TallyStore, 'behind' | 'fold'>,
  isEnding: () => boolean,
  rest: (worked: number) => Promise<void>,
  now: () => number = () => performance.now(),
): Promise<void> {
  for (const game of await tallies.behind()) {
    const ends = now() + turn
    for (let began = now(); began < ends && !isEnding(); began = now()) {
      if ((await tallies.fold(game)) !== 'more') break
      await rest(now() - began)
    }
  }
}

/** Rests in parts of the time that was worked: at least, and while other calls keep core busy. */
const [least, most] = [0.05, 9]
/** Share of a rest in which core worked for others. */
const busy = 0.85

/** Rests between two steps, so that other calls go first: the longer, the more of the last rest they took. */
export function restBeside(used: typeof performance.eventLoopUtilization = performance.eventLoopUtilization) {
  let part = least
  return async (worked: number): Promise<void> => {
    const before: EventLoopUtilization = used()
    await setTimeout(Math.max(5, worked * part))
    const { utilization } = used(before)
    part = utilization > busy ? Math.min(most, part * 2) : Math.max(least, part / 2)
  }
}
