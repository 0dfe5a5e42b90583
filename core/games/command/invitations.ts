import { invitations as limits } from '../../../shared/limits.ts'
import { hashInvitation, newInvitationCode } from '../../accounts/access/invitation-codes.ts'
import { noGame } from '../../records/access/no-game.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Core } from '../../context.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import { learnerName, line } from '../../process/rules/text.ts'

/** Invites one learner to a published game. Returns the code; only its hash is stored. @throws Problem, Refusal */
export async function createInvitation(
  { store: { invitations } }: Pick<Core, 'store'>,
  { studio }: Developer,
  given: { readonly gameId: string; readonly learnerName: string },
): Promise<{ code: string }> {
  const code = newInvitationCode()
  const name = line(given.learnerName, 'learner_name', learnerName)
  switch (await invitations.add(studio, given.gameId, name, hashInvitation(code))) {
    case 'done':
      return { code }
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
  { store }: Pick<Core, 'store'>,
  { studio }: Developer,
  { gameId, invitationId }: { readonly gameId: string; readonly invitationId: string },
): Promise<void> {
  if (!(await store.invitations.revoke(studio, gameId, invitationId)))
    throw new Refusal('not-found', 'There is no such invitation.')
}
