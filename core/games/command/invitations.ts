import { invitations as limits } from '../../../shared/limits.ts'
import { hashInvitation, newInvitationCode } from '../../accounts/access/invitation-codes.ts'
import { noGame } from '../../records/access/no-game.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Store } from '../../store.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import { learnerName, line } from '../../process/rules/text.ts'

/** Invites one learner to a published game. Returns the code; only its hash is stored. @throws Problem, Refusal */
export async function createInvitation(
  { invitations }: Store,
  { studio }: Developer,
  gameId: string,
  name: string,
): Promise<string> {
  const code = newInvitationCode()
  switch (await invitations.add(studio, gameId, line(name, 'learner_name', learnerName), hashInvitation(code))) {
    case 'done':
      return code
    case 'no-game':
      throw noGame()
    case 'not-public':
      throw new Refusal('conflict', 'The game is not published: invite learners when it is.')
    case 'full':
      throw new Refusal(
        'quota-exceeded',
        `There are ${limits.single} invitations, or ${limits.ofGame} with those of classes: end some of them first.`,
      )
  }
}

/** Ends an invitation: nobody can start another session with it, unless it is restored. @throws Refusal */
export async function revokeInvitation(
  { invitations }: Store,
  { studio }: Developer,
  gameId: string,
  id: string,
): Promise<void> {
  if (!(await invitations.revoke(studio, gameId, id))) throw new Refusal('not-found', 'There is no such invitation.')
}
