import { noGame } from '../access/visitor.ts'
import type { Core } from '../context.ts'
import { unlessReadOnly } from '../store/store-failure.ts'
import { actorIn, type PlayerReached, type PlayedThing, type PlayRange, type ThingCounts } from '../store/cell/plays.ts'
import type { OptionCounts } from '../store/cell/plays.ts'
import { never } from '../studio/person-days.ts'
import type { Kind } from '../studio/plays.ts'
import { activityKey } from '../xapi/identify.ts'
import { Problem } from '../xapi/problem.ts'
import { foldTallies } from './fold-tallies.ts'
import { dayIn, daysBetween } from './insights.ts'

export interface PlayedQuery {
  /** UUID. */
  readonly gameId: string
  /** Days such as `2026-11-21`, both included. */
  readonly from: string
  readonly to: string
  readonly build?: number
  /** Count sandbox sessions instead of learners. */
  readonly sandbox: boolean
}

/** What was found, and the statements of the game that are not counted yet. */
export interface CountedSoFar<Found> {
  readonly found: Found
  readonly behind: number
}

type Needs = Pick<Core, 'store' | 'chartQueue' | 'fairQueue' | 'jobs'>
const dayMs = 24 * 60 * 60 * 1000

/** @throws Problem, Refusal 'not-found' */
export const listPlayed = (
  core: Needs,
  studio: number | undefined,
  query: PlayedQuery,
  kinds: readonly Kind[],
): Promise<CountedSoFar<{ things: ThingCounts[]; options: OptionCounts[]; more: boolean }>> =>
  counted(core, studio, query, { things: [], options: [], more: false }, (game, range) =>
    core.store.plays.list(game, range, kinds),
  )

export interface PlayersQuery extends PlayedQuery {
  /** IRI. */
  readonly activityId: string
  readonly limit: number
  /** `next` of the page before; empty: the first page. */
  readonly after: string
}

export interface PlayersPage {
  readonly thing?: PlayedThing
  readonly players: readonly (PlayerReached & { readonly agent: string; readonly name: string })[]
  /** Empty: there is no other page. */
  readonly next: string
}

/** The players of one activity by the progress that they made. @throws Problem, Refusal 'not-found' */
export const listPlayers = (
  core: Needs,
  studio: number | undefined,
  query: PlayersQuery,
): Promise<CountedSoFar<PlayersPage>> => {
  const after = afterIn(query.after)
  return counted(core, studio, query, { players: [], next: '' }, async (game, range): Promise<PlayersPage> => {
    const page = await core.store.plays.players(game, range, activityKey(query.activityId), after, query.limit + 1)
    if (!page) return { players: [], next: '' }
    const shown = page.players.slice(0, query.limit)
    const last = page.players.length > query.limit ? shown.at(-1) : undefined
    return {
      thing: page.thing,
      players: shown.map((player) => {
        const { actor, name } = actorIn(player.body)
        return { ...player, agent: actor, name }
      }),
      next: last ? `${last.last}_${last.actor}` : '',
    }
  })
}

function afterIn(text: string) {
  if (text === '') return { last: never, actor: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
  const [, last, actor] = /^(\d{1,9})_([\da-f-]{36})$/.exec(text) ?? []
  if (last === undefined || actor === undefined) throw new Problem('after', 'must be the `next` of a page')
  return { last: Number(last), actor }
}

/** Counts new statements first. Each studio has one such query at a time. */
async function counted<Found>(
  { store, chartQueue, fairQueue, jobs }: Needs,
  studio: number | undefined,
  { gameId, from, to, build, sandbox }: PlayedQuery,
  nothing: Found,
  read: (game: number, range: PlayRange) => Promise<Found>,
): Promise<CountedSoFar<Found>> {
  const [first, last] = [dayIn(from, 'from'), dayIn(to, 'to')]
  daysBetween(first, last)
  const tenant = await store.games.tenant(gameId, studio, sandbox)
  if (!tenant) throw noGame()
  const { game } = tenant
  if (game === null) return { found: nothing, behind: 0 }
  return chartQueue.run(studio ?? 'admins', () =>
    fairQueue.run(game, async () => {
      await jobs.run('counts for charts', 0, () => foldTallies(store.tallies, game)).catch(unlessReadOnly)
      const found = await read(game, { from: first / dayMs, to: last / dayMs, build })
      return { found, behind: await store.insights.behind(game) }
    }),
  )
}
