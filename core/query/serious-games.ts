import { noGame } from '../access/visitor.ts'
import type { Core } from '../context.ts'
import { unlessReadOnly } from '../store/store-failure.ts'
import {
  actorIn,
  type PlayerReached,
  type PlayersListed,
  type PlayRange,
  type PlaysListed,
} from '../store/cell/plays.ts'
import { never } from '../studio/person-days.ts'
import type { Kind } from '../studio/plays.ts'
import { activityKey } from '../xapi/identify.ts'
import { Problem } from '../xapi/problem.ts'
import { foldTallies } from '../fold-tallies.ts'
import { daysOf, type Days } from './range-of-days.ts'

export interface PlayedQuery extends Days {
  /** UUID. */
  readonly gameId: string
  readonly build?: number
  /** Count sandbox sessions instead of learners. */
  readonly sandbox: boolean
}

export interface PlayersQuery extends PlayedQuery {
  /** IRI. */
  readonly activityId: string
  readonly limit: number
  /** `next` of the page before; empty: the first page. */
  readonly after: string
}

export interface PlayersPage extends PlayersListed {
  readonly players: readonly (PlayerReached & { readonly agent: string; readonly name: string })[]
  /** Empty: there is no other page. */
  readonly next: string
}

type Needs = Pick<Core, 'store' | 'chartQueue' | 'fairQueue' | 'jobs'>

/**
 * The things of a game that players did something with, of these kinds.
 * @param studio must own the game; undefined: any game
 * @throws Problem, Refusal 'not-found'
 */
export const listPlayed = (
  core: Needs,
  studio: number | undefined,
  query: PlayedQuery,
  kinds: readonly Kind[],
): Promise<PlaysListed> =>
  counted(core, studio, query, { things: [], options: [], more: false, behind: 0 }, (game, range) =>
    core.store.plays.list(game, range, kinds),
  )

/** The players of one activity by the progress that they made. @throws Problem, Refusal 'not-found' */
export async function listPlayers(core: Needs, studio: number | undefined, query: PlayersQuery): Promise<PlayersPage> {
  const { limit } = query
  const after = afterIn(query.after)
  const key = activityKey(query.activityId)
  const { players, ...listed } = await counted(core, studio, query, { players: [], behind: 0 }, (game, range) =>
    core.store.plays.players(game, range, key, after, limit + 1),
  )
  const shown = players.slice(0, limit)
  const last = players.length > limit ? shown.at(-1) : undefined
  const named = shown.map((player) => ({ ...player, ...actorIn(player.body) }))
  return { ...listed, players: named, next: last ? `${last.last}_${last.actor}` : '' }
}

function afterIn(text: string) {
  if (text === '') return { last: never, actor: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
  const [, last, actor] = /^(\d{1,9})_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/.exec(text) ?? []
  if (last === undefined || actor === undefined) throw new Problem('after', 'must be the `next` of a page')
  return { last: Number(last), actor }
}

/** Counts new statements first. Each studio has one such query at a time. */
async function counted<Found>(
  { store, chartQueue, fairQueue, jobs }: Needs,
  studio: number | undefined,
  { gameId, build, sandbox, ...range }: PlayedQuery,
  nothing: Found,
  read: (game: number, range: PlayRange) => Promise<Found>,
): Promise<Found> {
  const days = daysOf(range)
  const tenant = await store.games.tenant(gameId, studio, sandbox)
  if (!tenant) throw noGame()
  const { game } = tenant
  if (game === null) return nothing
  return chartQueue.run(studio ?? 'admins', () =>
    fairQueue.run(game, async () => {
      await jobs.run('counts for charts', 0, () => foldTallies(store.tallies, game)).catch(unlessReadOnly)
      return read(game, { ...days, build })
    }),
  )
}
