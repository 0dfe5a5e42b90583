import { toJson } from '@bufbuild/protobuf'
import { ListReviewsResponseSchema } from '../../gen/lrs/v1/games_pb.js'
import type { CoreClient } from '../core-client.ts'
import { kindName, table, time, type Shown } from '../show.ts'

export async function listReviews({ games }: CoreClient): Promise<Shown> {
  const found = await games.listReviews({})
  const rows = found.reviews.map(({ game, build, review }) => [game!.slug, game!.name, game!.studioName, build!.buildId, kindName(build!.kind), time(review!.submitted), review!.message])
  const text = table(['game', 'name', 'studio', 'build', 'kind', 'since (UTC)', 'message'], rows, 'Nothing waits for a decision.')
  return { json: toJson(ListReviewsResponseSchema, found, { alwaysEmitImplicit: true }), text }
}
