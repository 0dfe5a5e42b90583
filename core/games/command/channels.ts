import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import { rollbackTarget, type KeptBuild } from '../rules/kept-builds.ts'
import { isPlayable } from '../rules/lifecycle.ts'
import { gameTexts, paragraphs } from '../../process/rules/text.ts'
import { onGame } from './edit-page.ts'
import { stateAfter, submit } from './review-games.ts'
import { ours } from '../../../shared/say.ts'

/**
 * Stages the beta build and submits it for review, without a second upload. @param buildId the beta that was looked at
 * @throws Refusal 'conflict'
 */
export async function promote(
  { store }: Pick<Core, 'store'>,
  who: Developer,
  { gameId, buildId, message: given }: { gameId: string; buildId: string; message: string },
): Promise<void> {
  const message = paragraphs(given, 'message', gameTexts.submission)
  const { builds } = store
  await onGame(store, who, gameId, async (run, game) => {
    if (game.beta === null) throw new Refusal('conflict', 'The game has no beta build: upload one to the channel beta.')
    if ((await builds.find(run, game.beta)).buildId !== buildId)
      throw new Refusal('conflict', 'Another build is the beta now: look at that one, then promote it.')
    const state = stateAfter(game, 'stage')
    await builds.stageBeta(run, game.id, state, game.staged)
    await submit(store, run, { ...game, state, staged: game.beta, beta: null }, message)
  })
}

/**
 * Makes a replaced build live again, at once: it was reviewed before. The one that it replaces is kept in its place.
 * @param from UUID of the live build that the caller saw: of two rollbacks at once, one happens
 * @param to UUID; empty: the last replaced one that is older
 */
export async function rollBack(
  store: Store,
  who: Developer,
  { gameId, from, to }: { gameId: string; from: string; to: string },
): Promise<KeptBuild> {
  const { games, builds, garbage, reviews, webhookEvents } = store
  return onGame(store, who, gameId, async (run, game) => {
    if (game.live === null || !isPlayable(game.state))
      throw new Refusal('conflict', 'The game is not public: there is nothing to roll back. Submit a build for review.')
    const live = await builds.find(run, game.live)
    if (live.buildId !== from)
      throw new Refusal(
        'conflict',
        'Another build is live by now: look at the game, then roll back if you still want to.',
      )
    const target = rollbackTarget(live.number, await builds.kept(run, game.id), to)
    if ('refused' in target) throw new Refusal('conflict', ours(target.refused))
    if (!(await garbage.keep(target.key, run)))
      throw new Refusal('conflict', 'The time for which this build was kept is over: upload it again.')
    await builds.restore(run, target.id)
    await games.setLive(run, game.id, target.id)
    await builds.keep(run, game.id, live.id)
    await reviews.turn(run, game.id, live.id, target.id)
    const told = { buildId: target.buildId, replaced: live.buildId }
    await webhookEvents.tell([game.id], 'build.rolled_back', told, run)
    return target
  })
}
