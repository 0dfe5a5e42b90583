import type { Core } from '../../context.ts'
import { newSession, startedLaunch, type LaunchContext } from '../../games/access/launch.ts'
import { noGame } from '../../games/command/lessons.ts'
import { noConsent } from '../../games/command/seats.ts'
import { Problem } from '../../process/problem.ts'
import { Refusal } from '../../process/refusal.ts'
import { nicknames } from '../../process/rules/nicknames.ts'
import { gameTexts, line } from '../../process/rules/text.ts'
import { hashSecret, newSecret } from '../../process/secret.ts'
import { signed } from '../access/lti-keys.ts'
import { pickedClaims, type Grading, type Picking } from '../rules/lti-message.ts'
import type { Launch } from '../store/lti-launches.ts'
import { signingKey } from './lti-platforms.ts'

const noLaunch = () => new Refusal('not-found', 'The launch has ended: open it in your course again.')

/** Starts a session of the game of a launch: an attempt. @throws Problem, Refusal */
export async function startLtiPlay(
  { store, tokens, config }: Core,
  { token }: { readonly token: string },
): Promise<{ launch: LaunchContext; gameSlug: string }> {
  const tokenHash = hashSecret(token)
  if (!(await store.ltiLaunches.byToken(tokenHash))) throw noLaunch()
  await store.portalLimits.require('seatStart', tokenHash.toString('hex'))
  const { secret, session } = newSession(tokens)
  const started = await store.ltiLaunches.play(tokenHash, session, (taken) => nicknames(1, taken)[0]!)
  switch (started) {
    case 'no-launch':
      throw noLaunch()
    case 'no-game':
      throw noGame()
    case 'no-consent':
      throw noConsent()
    case 'used-up':
      throw new Problem('attempts', 'must be left: all of them are used')
  }
  return { ...started, launch: await startedLaunch({ store, tokens, config }, secret) }
}

/** The launch of a teacher who picks. @throws Refusal */
export async function picking({ store }: Pick<Core, 'store'>, token: string): Promise<Launch & { picking: Picking }> {
  const launch = await store.ltiLaunches.byToken(hashSecret(token))
  if (!launch?.picking) throw noLaunch()
  await store.portalLimits.require('ltiPick', launch.launchId)
  return { ...launch, picking: launch.picking }
}

/** What a teacher picked, as a message for the platform. @throws Problem, Refusal */
export async function pickLtiLink(
  core: Pick<Core, 'store' | 'sealer'>,
  given: {
    readonly token: string
    readonly gameSlug: string
    readonly level: string
    readonly attempts: number
    readonly grading: Grading
    readonly title: string
    readonly portalUrl: string
  },
) {
  const launch = await picking(core, given.token)
  const platform = await core.store.ltiPlatforms.byId(launch.platform)
  if (!platform) throw noLaunch()
  if (given.gameSlug !== '' && !(await core.store.ltiLaunches.game(given.gameSlug))) throw noGame()
  const { level, attempts, grading } = given
  const picked = { game: given.gameSlug, level: level.slice(0, 2_000), attempts, grading }
  const title = line(given.title, 'title', gameTexts.name)
  const claims = pickedClaims(
    launch.picking,
    platform,
    { ...picked, title, url: `${given.portalUrl}/lti/launch` },
    { nonce: newSecret(), now: Math.floor(Date.now() / 1000) },
  )
  const jwt = await signed(claims, await signingKey(core, platform.school))
  return { returnUrl: launch.picking.returnUrl, jwt, origins: platform.origins }
}
