import type { DecideReviewRequest } from '../../../gen/lrs/v1/games_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { noGame } from '../../records/access/no-game.ts'
import { requireReviewer, type Keeper, type Visitor } from '../../accounts/access/visitor.ts'
import type { Core } from '../../context.ts'
import { gameDecided } from '../../accounts/notices/texts.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Run } from '../../process/database/database.ts'
import { lifeOf, type GameRow } from '../store/games.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import { isInReview, next, submitted, type Event, type State } from '../rules/lifecycle.ts'
import { reviewNote } from '../../accounts/rules/review-note.ts'
import { makers } from '../../accounts/rules/roles.ts'
import { gameTexts, paragraphs } from '../../process/rules/text.ts'
import { credentialOf, gameScopes, newCredential } from './credentials.ts'
import { onGame } from './edit-page.ts'
import { ours, say } from '../../../shared/say.ts'

/** The state after the event. @throws Refusal 'conflict' when the event is not possible now */
export function stateAfter(game: GameRow, event: Event): State {
  const step = next(lifeOf(game), event)
  if ('refused' in step) throw new Refusal('conflict', ours(step.refused))
  return step.state
}

/**
 * Submits the draft of the page and the staged build for review, or the live build if none is staged.
 * @throws Refusal 'conflict' with what is missing
 */
export async function submitForReview(
  { store }: Pick<Core, 'store'>,
  developer: Developer,
  given: { readonly gameId: string; readonly message: string },
): Promise<void> {
  const message = paragraphs(given.message, 'message', gameTexts.submission)
  await onGame(store, developer, given.gameId, (run, game) => submit(store, run, game, message))
}

/** In a transaction that has locked the game. @throws Refusal 'conflict' with what is missing */
export async function submit(
  { games, reviews, webhookEvents }: Store,
  run: Run,
  game: GameRow,
  message: string,
): Promise<void> {
  const missing = [game.summary === '' && 'a summary, one line about it', !submitted(lifeOf(game)) && 'a build'].filter(
    (what) => what !== false,
  )
  if (missing.length > 0)
    throw new Refusal('conflict', say`Before it can be reviewed, the game needs ${missing.join(', and ')}.`)
  const state = stateAfter(game, 'submit')
  await reviews.add(run, game, message)
  await games.move(run, game.id, state)
  await webhookEvents.tell([game.id], 'review.submitted', {}, run)
}

/** Withdraws a submission; without one, withdraws the published game. @param seen the state that the visitor saw */
export function withdraw(store: Store, visitor: Keeper, gameId: string, seen?: State): Promise<State> {
  return onGame(store, visitor === 'admin' ? { studio: null } : visitor, gameId, async (run, game) => {
    if (seen !== undefined && seen !== game.state) {
      throw new Refusal(
        'conflict',
        'The game has changed since you looked at it: look again, then withdraw it if you still want to.',
      )
    }
    const state = stateAfter(game, 'withdraw')
    if (isInReview(game.state)) await store.reviews.withdraw(run, game.id)
    await store.games.move(run, game.id, state)
    await store.webhookEvents.tell([game.id], 'game.withdrawn', { was: game.state, state }, run)
    return state
  })
}

export type Decision = Fields<DecideReviewRequest>

/** Decides a review. Approval publishes build and page, and issues the credential; its secret is not shown here. */
export async function decideReview(
  { store, notices, config }: Pick<Core, 'store' | 'notices' | 'config'>,
  visitor: Visitor,
  decision: Decision,
): Promise<{ state: State; key: string }> {
  requireReviewer(visitor)
  const { transaction, games, gamePages, members, reviews, studioProfiles, credentials } = store
  const note = reviewNote(decision.note, decision.approved)
  return transaction(async (run) => {
    // lock order: the studio before the game
    await games.lockStudioOf(run, decision.gameId)
    const game = await games.lock(run, decision.gameId, null)
    if (!game) throw noGame()
    if (visitor !== 'admin' && (await members.roleIn(game.studio, visitor.account, run)))
      throw new Refusal('forbidden', 'Your studio cannot review its own games: another reviewer or an admin decides.')
    const state = stateAfter(game, decision.approved ? 'approve' : 'reject')
    const review = (await reviews.open(run, game.id))!
    if (review.buildId !== decision.buildId)
      throw new Refusal('conflict', 'Another build is waiting for review now. Review that one.')
    if ((decision.page || review.page) !== game.page) {
      throw new Refusal(
        'conflict',
        'Its name, texts or files, or the profile of its studio, have changed. Review them again.',
      )
    }
    await reviews.decide(run, review.reviewId, decision.approved, note)
    const text = gameDecided(game.name, decision.gameId, decision.approved, note)
    await notices.tell({ studio: game.studio, roles: makers }, 'review', text, run)
    const { buildId } = decision
    await store.webhookEvents.tell(
      [game.id],
      decision.approved ? 'review.approved' : 'review.rejected',
      { buildId, note },
      run,
    )
    if (!decision.approved) {
      await games.move(run, game.id, state)
      return { state, key: (await credentials.of(run, game.id))?.key ?? '' }
    }
    await games.publish(run, game.id, state, review.build)
    if (game.live !== null && game.live !== review.build) await store.builds.keep(run, game.id, game.live)
    await gamePages.accept(run, game.id)
    await studioProfiles.acceptFirst(run, game.studio)
    await store.catalogue.renew(run, game.id)
    const credential = (await credentials.of(run, game.id)) ?? newCredential()
    if ('secret' in credential)
      await credentials.insert(run, game.id, credentialOf(credential, gameScopes, config.authorityHome))
    return { state, key: credential.key }
  })
}
