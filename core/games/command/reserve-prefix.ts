import { findStudio } from '../../accounts/access/find-studio.ts'
import type { Core } from '../../context.ts'
import { reservations as limits } from '../../../shared/limits.ts'
import { Refusal } from '../../process/refusal.ts'
import { activityId } from '../../records/rules/activity-id.ts'
import { overlap, prefixParameter } from '../../records/rules/reserved-prefix.ts'
import { Problem } from '../../process/problem.ts'
import { say } from '../../../shared/say.ts'

/**
 * Reserves the activities below a prefix for the games of a studio; reserving it again is no error.
 * @throws Problem, Refusal
 */
export async function reservePrefix(
  { store, config }: Pick<Core, 'store' | 'config'>,
  studioName: string,
  text: string,
): Promise<void> {
  const prefix = prefixParameter(text, 'prefix')
  const { studio } = await findStudio(store, studioName)
  const game = gameBelow(config.authorityHome, prefix)
  if (game !== undefined && (await store.games.view(game))?.studio !== studio) {
    const games = activityId(config.authorityHome, '')
    throw new Problem('prefix', say`must name a game of this studio: activities below ${games} belong to one game each`)
  }
  await store.reservations.grant({ prefix, studio }, (held) => {
    const other = held.find((one) => one.studio !== studio && overlap(one.prefix, prefix))
    if (other) {
      throw new Refusal(
        'conflict',
        say`Another studio has ${other.prefix}: prefixes of two studios must not contain each other.`,
      )
    }
    const own = held.filter((one) => one.studio === studio).length
    if (own >= limits.ofStudio || held.length >= limits.inAll) {
      throw new Refusal(
        'conflict',
        say`A studio may have ${limits.ofStudio} prefixes, all studios ${limits.inAll}: reserve a shorter one in place of several.`,
      )
    }
  })
}

/** Ends a reservation. All games may then define these activities again. @throws Refusal */
export async function withdrawPrefix({ store }: Pick<Core, 'store'>, prefix: string): Promise<void> {
  if (!(await store.reservations.withdraw(prefix)))
    throw new Refusal('not-found', 'Nobody has reserved exactly this prefix.', { subject: 'reservation' })
}

/** The id of the game of a prefix at the service's own address. @throws Problem when it covers several games */
function gameBelow(home: string, prefix: string): string | undefined {
  if (!overlap(`${home}/`, prefix)) return undefined
  const games = activityId(home, '')
  const [, game] = /^([0-9a-f-]{36})\//.exec(prefix.startsWith(games) ? prefix.slice(games.length) : '') ?? []
  if (game !== undefined) return game
  throw new Problem(
    'prefix',
    say`must not contain activities of other studios' games: below ${home} only ${games}<id of a game>/ can be reserved`,
  )
}
