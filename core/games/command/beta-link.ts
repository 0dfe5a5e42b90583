import { newSession, noBeta, startedLaunch, type LaunchContext } from '../access/launch.ts'
import { hashSecret, newSecret } from '../../process/secret.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import { lifeOf } from '../store/games.ts'
import { betaRefusal } from '../rules/lifecycle.ts'
import { learnerName, line } from '../../process/rules/text.ts'
import { sandboxCredential } from './credentials.ts'
import { onGame } from './edit-page.ts'
import { ours } from '../../../shared/say.ts'

/**
 * Makes the link to the beta of a game, in place of the one before, or ends it. Returns its code, of which only the hash
 * is stored; empty: there is none. @throws Refusal
 */
export async function setBetaLink(
  { store }: Pick<Core, 'store'>,
  developer: Developer,
  { gameId, on }: { readonly gameId: string; readonly on: boolean },
): Promise<{ code: string }> {
  const code = on ? newSecret() : ''
  await onGame(store, developer, gameId, async (run, game) => {
    const refused = on ? betaRefusal(lifeOf(game)) : undefined
    if (refused !== undefined) throw new Refusal('conflict', ours(refused))
    await store.betaLinks.set(run, game.id, on ? hashSecret(code) : null)
  })
  return { code }
}

/** Starts a sandbox session of a beta by its link, for a new learner. @throws Problem, Refusal */
export async function startBeta(
  { store, tokens, config }: Core,
  { code, learnerName: name, senderIp }: { code: string; learnerName: string; senderIp: string },
): Promise<LaunchContext> {
  await store.portalLimits.requireFrom('play', senderIp)
  const { secret, session } = newSession(tokens)
  const link = hashSecret(code)
  const wanted = {
    ...session,
    link,
    learnerName: line(name, 'learner_name', learnerName),
    credential: sandboxCredential(config.authorityHome),
  }
  switch (
    await store.betaLinks.start(wanted, (run) => store.portalLimits.require('betaLink', link.toString('hex'), run))
  ) {
    case 'done':
      return startedLaunch({ store, tokens, config }, secret)
    case 'no-link':
      throw noBeta()
    case 'no-build':
      throw new Refusal('not-found', 'There is no test version now. The link works again when there is one.')
  }
}
