import { toJson } from '@bufbuild/protobuf'
import { ListReviewsResponseSchema } from '../../gen/lrs/v1/games_pb.js'
import type { Work } from '../session.ts'
import { kindName, table, time } from '../show.ts'

export const listReviews: Work<object> = async (session) => {
  const found = await (await session.connect()).games.listReviews({})
  const rows = found.reviews.map(({ game, build, review, page }) => [game!.slug, game!.name, game!.studioName, build!.buildId, kindName(build!.kind), String(page), time(review!.submitted), review!.message])
  const text = table(['game', 'name', 'studio', 'build', 'kind', 'page', 'since (UTC)', 'message'], rows, 'Nothing waits for a decision.')
  return { json: toJson(ListReviewsResponseSchema, found, { alwaysEmitImplicit: true }), text }
}
