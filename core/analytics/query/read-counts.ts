import { noGame } from '../../records/access/no-game.ts'
import type { Core } from '../../context.ts'
import { countOn } from './count-on.ts'

export type CountsNeeds = Pick<Core, 'store' | 'chartQueue' | 'countQueue' | 'countedNow' | 'fairQueue' | 'jobs'>

export interface CountsOf {
  /** UUID. */
  readonly gameId: string
  /** What sandbox sessions sent in place of what learners did. */
  readonly sandbox: boolean
}

/**
 * Counts the new statements of a game, then reads its counts. Each studio reads one at a time, because it may have many
 * games with large charts.
 * @param lists learners, too, who are listed apart from counts
 * @param studio must own the game; undefined: any game
 * @returns undefined: nobody has opened the sandbox
 * @throws Refusal 'not-found'
 */
export async function readCounts<Found>(
  core: CountsNeeds,
  studio: number | undefined,
  { gameId, sandbox }: CountsOf,
  read: (game: number) => Promise<Found>,
  { lists = false }: { lists?: boolean } = {},
): Promise<Found | undefined> {
  const { store, chartQueue, fairQueue } = core
  const tenant = await store.games.tenant(gameId, studio, sandbox)
  if (!tenant) throw noGame()
  const { game } = tenant
  if (game === null) return undefined
  await Promise.all([
    countOn(core, studio, game, 'counts for charts', store.tallies),
    lists && countOn(core, studio, game, 'lists of learners', await store.learnersSeen(game)),
  ])
  return chartQueue.run(studio ?? 'admins', () => fairQueue.run(game, () => read(game)))
}
