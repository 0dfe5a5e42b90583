import type { StartPlayRequest } from '../../../gen/lrs/v1/launches_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { hashInvitation } from '../../accounts/access/invitation-codes.ts'
import { newSession, noInvitation, startedLaunch, type LaunchContext } from '../access/launch.ts'
import { hashSecret, newSecret } from '../../process/secret.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import { learnerName, line } from '../../process/rules/text.ts'
import { Problem } from '../../process/problem.ts'
import type { Chosen, LearnerChoice } from '../store/learner-choice.ts'

export type PlayChoice = Fields<StartPlayRequest>

/**
 * Starts a learner's session of a published game. The learner's browser keeps the token, so the next session has the
 * same learner. An invited learner gets none and comes back with the invitation.
 * @throws Problem, Refusal
 */
export async function startPlay(
  { store, tokens, config }: Core,
  choice: PlayChoice,
): Promise<{ launch: LaunchContext; learnerToken: string }> {
  await store.portalLimits.requireFrom('play', choice.senderIp)
  const { secret, session } = newSession(tokens)
  const { newToken, wanted } = choiceOf(choice)
  const network = tokens.networkOf(choice.senderIp)
  const { how } = requireChosen(await store.launches.startPlay({ ...session, ...wanted, slug: choice.slug, network }))
  // the invitation may have been revoked since
  const launch = await startedLaunch({ store, tokens, config }, secret)
  return { launch, learnerToken: tokenOf(how, newToken, choice) }
}

/** The token that the learner's browser keeps. */
export const tokenOf = (how: Chosen['how'], newToken: string, { learnerToken }: PlayChoice): string =>
  how === 'new' ? newToken : how === 'returned' ? learnerToken : ''

/** Who wants to play, as the store looks for it, and the token of a new learner. @throws Problem */
export function choiceOf(choice: PlayChoice): { newToken: string; wanted: LearnerChoice } {
  const newToken = newSecret()
  return {
    newToken,
    wanted: {
      invitation: choice.invitation === '' ? undefined : hashInvitation(choice.invitation),
      learnerToken: choice.learnerToken === '' ? undefined : hashSecret(choice.learnerToken),
      learnerName: choice.learnerName.trim() === '' ? undefined : line(choice.learnerName, 'learner_name', learnerName),
      newToken: hashSecret(newToken),
      consent: choice.consent,
    },
  }
}

/** The learner that was chosen. @throws Problem, Refusal */
export function requireChosen(outcome: Chosen | 'no-game' | 'no-invitation' | 'no-name'): Chosen {
  switch (outcome) {
    case 'no-game':
      throw new Refusal('not-found', 'There is no such game, or it cannot be played now.')
    case 'no-invitation':
      throw noInvitation()
    case 'no-name':
      throw new Problem('learner_name', 'must not be empty: what do you want to be called?')
  }
  return outcome
}
