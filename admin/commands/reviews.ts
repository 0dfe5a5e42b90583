import { BuildKind } from '../../gen/lrs/v1/games_pb.js'
import { command } from '../command.ts'
import { table, time, wordOf } from '../show.ts'

export const commands = {
  list: command({
    about: 'list them, the oldest first',
    examples: ['reviews list'],
    async run({ games }) {
      const found = await games.listReviews({})
      const waiting = table(found.reviews, 'Nothing to review.', {
        game: ({ game }) => game!.slug,
        name: ({ game }) => game!.name,
        studio: ({ game }) => game!.studioName,
        build: ({ build }) => build!.buildId,
        kind: ({ build }) => wordOf(BuildKind, build!.kind),
        page: ({ page }) => page,
        'since (UTC)': ({ review }) => time(review!.submitted),
        message: ({ review }) => review!.message,
      })
      const profiles = table(found.profiles, '', {
        studio: ({ studio }) => studio!.slug,
        name: ({ accepted }) => accepted!.name,
        'new name': ({ studio }) => studio!.name,
        changes: ({ profile }) => profile,
        'since (UTC)': ({ changed }) => time(changed),
      })
      const isGames = found.reviews.length > 0 || profiles === ''
      return { json: found, text: [...(isGames ? [waiting] : []), ...(profiles ? [profiles] : [])].join('\n\n') }
    },
  }),
}
