import { ListReviewsResponseSchema } from '../../gen/lrs/v1/games_pb.js'
import { jsonOf } from '../json-of.ts'
import type { Work } from '../session.ts'
import { kindName, table, time } from '../show.ts'

export const listReviews: Work<object> = async (session) => {
  const found = await (await session.connect()).games.listReviews({})
  const rows = found.reviews.map(({ game, build, review, page }) => [
    game!.slug,
    game!.name,
    game!.studioName,
    build!.buildId,
    kindName(build!.kind),
    String(page),
    time(review!.submitted),
    review!.message,
  ])
  const profiles = found.profiles.map(({ studio, accepted, profile, changed }) => [
    studio!.slug,
    accepted!.name,
    studio!.name,
    String(profile),
    time(changed),
  ])
  const games = table(
    ['game', 'name', 'studio', 'build', 'kind', 'page', 'since (UTC)', 'message'],
    rows,
    'Nothing to review.',
  )
  const text =
    profiles.length === 0
      ? games
      : [
          ...(rows.length > 0 ? [games] : []),
          table(['studio', 'name', 'new name', 'changes', 'since (UTC)'], profiles, ''),
        ].join('\n\n')
  return { json: jsonOf(ListReviewsResponseSchema, found), text }
}
