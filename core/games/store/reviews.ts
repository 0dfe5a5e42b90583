import { done, first, sql, type Run } from '../../process/database/database.ts'
import type { GameRow } from './games.ts'

/** A submission that waits for a decision. */
export interface OpenReview {
  /** UUID. */
  readonly reviewId: string
  readonly build: number
  /** UUID. */
  readonly buildId: string
  /** GameRow.page when it was submitted; -1: unknown. */
  readonly page: number
}

const insertReview = sql('review_insert')`insert into review (game, build, page, message) values ($1, $2, $3, $4)`
const openReview = sql('review_open')`
  select r.uuid as "reviewId", r.build, b.uuid as "buildId", coalesce(r.page, -1) as page
    from review r join build b on b.id = r.build
    where r.game = $1 and r.decided is null and r.withdrawn is null`
const decideReview = sql('review_decide')`update review set decided = now(), approved = $2, note = $3 where uuid = $1`
const withdrawReview = sql('review_withdraw')`
  update review set withdrawn = now() where game = $1 and decided is null and withdrawn is null`

const turnReview = sql('review_turn')`
  update review set build = $3 where game = $1 and build = $2 and decided is null and withdrawn is null`

/** Submissions and decisions, in transactions that lock the game. */
export const reviewStore = {
  /** Submits the staged build, or the live one if none is staged. */
  add: (run: Run, { id, staged, live, page }: GameRow, message: string) =>
    done(run(insertReview, [id, staged ?? live, page, message])),

  open: (run: Run, game: number) => first(run<OpenReview>(openReview, [game])),

  decide: (run: Run, reviewId: string, approved: boolean, note: string) =>
    done(run(decideReview, [reviewId, approved, note])),

  /** A submission of the page alone is about another live build now. */
  turn: (run: Run, game: number, from: number, to: number) => done(run(turnReview, [game, from, to])),

  withdraw: (run: Run, game: number) => done(run(withdrawReview, [game])),
}
