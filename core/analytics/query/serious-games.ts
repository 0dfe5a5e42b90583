import {
  actorIn,
  type PlayerReached,
  type PlayersListed,
  type PlayRange,
  type PlaysListed,
} from '../store/cell/plays.ts'
import { never } from '../rules/person-days.ts'
import { nothingCounted } from '../rules/counted.ts'
import type { Kind } from '../rules/plays.ts'
import { activityKey } from '../../records/xapi/identify.ts'
import { Problem } from '../../process/problem.ts'
import { daysOf, type Days } from './range-of-days.ts'
import { readCounts, type CountsNeeds, type CountsOf } from './read-counts.ts'

export interface PlayedQuery extends Days, CountsOf {
  readonly build?: number
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

/**
 * The things of a game that players did something with, of these kinds.
 * @param studio must own the game; undefined: any game
 * @throws Problem, Refusal 'not-found'
 */
export async function listPlayed(
  core: CountsNeeds,
  studio: number | undefined,
  query: PlayedQuery,
  kinds: readonly Kind[],
): Promise<PlaysListed> {
  const range = rangeOf(query)
  const listed = await readCounts(core, studio, query, (game) => core.store.plays.list(game, range, kinds))
  return listed ?? { things: [], options: [], more: false, ...nothingCounted }
}

/** The players of one activity by the progress that they made. @throws Problem, Refusal 'not-found' */
export async function listPlayers(
  core: CountsNeeds,
  studio: number | undefined,
  query: PlayersQuery,
): Promise<PlayersPage> {
  const { limit } = query
  const after = afterIn(query.after)
  const key = activityKey(query.activityId)
  const range = rangeOf(query)
  const found = await readCounts(core, studio, query, (game) =>
    core.store.plays.players(game, range, key, after, limit + 1),
  )
  const { players, ...listed } = found ?? { players: [], ...nothingCounted }
  const shown = players.slice(0, limit)
  const last = players.length > limit ? shown.at(-1) : undefined
  const named = shown.map((player) => ({ ...player, ...actorIn(player.body) }))
  return { ...listed, players: named, next: last ? `${last.last}_${last.actor}` : '' }
}

const rangeOf = ({ build, ...query }: PlayedQuery): PlayRange => ({ ...daysOf(query), build })

function afterIn(text: string) {
  if (text === '') return { last: never, actor: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
  const [, last, actor] = /^(\d{1,9})_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/.exec(text) ?? []
  if (last === undefined || actor === undefined) throw new Problem('after', 'must be the `next` of a page')
  return { last: Number(last), actor }
}
