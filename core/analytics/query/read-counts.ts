import { noGame } from '../../records/access/no-game.ts'
import type { Core } from '../../context.ts'
import { foldTallies } from './fold-tallies.ts'
import { unlessReadOnly } from '../../process/database/store-failure.ts'

export type CountsNeeds = Pick<Core, 'store' | 'chartQueue' | 'fairQueue' | 'jobs'>

export interface CountsOf {
  /** UUID. */
  readonly gameId: string
  /** What sandbox sessions sent in place of what learners did. */
  readonly sandbox: boolean
}

/**
 * Counts the new statements of a game, then reads its counts. Each studio has one such query at a time, because a studio
 * may have many games with large charts.
 * @param studio must own the game; undefined: any game
 * @returns undefined: nobody has opened the sandbox
 * @throws Refusal 'not-found'
 */
export async function readCounts<Found>(
  { store, chartQueue, fairQueue, jobs }: CountsNeeds,
  studio: number | undefined,
  { gameId, sandbox }: CountsOf,
  read: (game: number) => Promise<Found>,
): Promise<Found | undefined> {
  const tenant = await store.games.tenant(gameId, studio, sandbox)
  if (!tenant) throw noGame()
  const { game } = tenant
  if (game === null) return undefined
  return chartQueue.run(studio ?? 'admins', () =>
    fairQueue.run(game, async () => {
      await jobs.run('counts for charts', 0, () => foldTallies(store.tallies, game)).catch(unlessReadOnly)
      return read(game)
    }),
  )
}
