import type { Core } from '../../context.ts'
import { isAway, Refusal } from '../../process/refusal.ts'
import { foldTallies, type Folding } from './fold-tallies.ts'

/**
 * Counts the new statements of a game for two seconds, once for all calls that wait for it. A studio counts one game at
 * a time. When it cannot count now, callers read what is counted so far.
 * @param studio undefined: an admin asks
 * @throws Refusal the database does not answer
 */
export function countOn(
  { countQueue, countedNow, fairQueue, jobs }: Pick<Core, 'countQueue' | 'countedNow' | 'fairQueue' | 'jobs'>,
  studio: number | string | undefined,
  game: number,
  name: 'counts for charts' | 'lists of learners',
  counts: Folding,
): Promise<void> {
  const key = `${name} ${game}`
  const known = countedNow.get(key)
  if (known) return known
  const begun = countQueue
    .run(studio ?? 'admins', () => fairQueue.run(game, () => jobs.run(name, 0, () => foldTallies(counts, game))))
    .catch(unlessAway)
    .finally(() => countedNow.delete(key))
  countedNow.set(key, begun)
  return begun
}

function unlessAway(error: unknown): void {
  if (!(error instanceof Refusal) || error.reason !== 'unavailable' || isAway(error)) throw error
}
