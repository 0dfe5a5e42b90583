import type { OwnProof as OwnProofMessage } from '../../../gen/lrs/v1/own_data_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { OwnLearner } from '../store/own-data.ts'
import { hashInvitation } from './invitation-codes.ts'
import { hashSecret } from '../../process/secret.ts'
import { ours } from '../../../shared/say.ts'

/** By what a learner of the player shows who it is; empty: not by this. */
export type OwnProof = Fields<OwnProofMessage>

/**
 * Who asks. `mayAsk`: for an erasure, too. A running session is not enough for that: another person may have left it
 * open.
 */
export interface Own {
  readonly learner: OwnLearner
  readonly mayAsk: boolean
}

/** @throws Refusal 'not-found', 'rate-limited' */
export async function ownLearner({ store }: Pick<Core, 'store'>, proof: OwnProof | undefined): Promise<Own> {
  if (!proof) throw unknown()
  await store.portalLimits.requireFrom('play', proof.senderIp)
  const { slug, invitation, learnerToken, sessionSecret } = proof
  if (invitation !== '' || learnerToken !== '') {
    const learner =
      invitation !== ''
        ? await store.ownData.byInvitation(slug, hashInvitation(invitation))
        : await store.ownData.byToken(slug, hashSecret(learnerToken))
    if (!learner) throw unknown()
    return { learner, mayAsk: true }
  }
  const session = sessionSecret === '' ? undefined : await store.launches.bySecret(hashSecret(sessionSecret))
  const learner = session && !session.sandbox ? await store.ownData.byId(slug, session.learnerId) : undefined
  if (!learner) throw unknown()
  return { learner, mayAsk: false }
}

const unknown = () =>
  new Refusal(
    'not-found',
    ours(
      'Nobody is known here. Open this page from the game while you play, with your invitation, or on the computer ' +
        'that remembers you.',
    ),
  )
