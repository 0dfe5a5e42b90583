import type { Game } from '../../../gen/lrs/v1/games_pb.js'

/** Which data of a game is shown. */
export interface DataView {
  /** Data of sandbox sessions, not of learners. */
  readonly sandbox: boolean
  /** Number of days up to today, unless the first and last day are chosen. */
  readonly days: number
  /** Time zone of the studio, in which days are; undefined: UTC. */
  readonly zone?: string | undefined
  /** First and last day. */
  readonly chosen?: Days | undefined
  /** Number of the build, or of the value of the cut; undefined: all builds. */
  readonly build?: number | undefined
  /** Number of the one beside it; `before`: the same in as many days before; undefined: none. */
  readonly compare?: number | 'before' | undefined
  /** The visitor makes games, and is offered what leads to data. */
  readonly makes: boolean
}

/** The first and the last one, `2026-11-05`. */
export interface Days {
  readonly from: string
  readonly to: string
}

/** What of a view is in addresses. */
export type Narrowed = Pick<DataView, 'sandbox' | 'days' | 'chosen' | 'build' | 'compare'>

/** The address of a page of a game with the same view. @param page empty: the overview */
export function dataPath(
  game: Game,
  page: string,
  { sandbox, days, chosen, build, compare }: Narrowed,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({
    ...(sandbox ? { from: 'sandbox' } : {}),
    ...(days === 30 ? {} : { days: String(days) }),
    // the list of statements has its own filters by day
    ...(chosen && page !== 'statements' && page !== 'learners' ? { since: chosen.from, until: chosen.to } : {}),
    ...(build === undefined ? {} : { build: String(build) }),
    ...(compare === undefined ? {} : { compare: String(compare) }),
    ...more,
  })
  return `/games/${game.summary!.gameId}${page && `/${page}`}${query.size > 0 ? `?${query}` : ''}`
}
