import type { ConfirmRequest } from '../../../gen/lrs/v1/sign_in_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { hashRecoveryCode, stepOf } from '../access/one-time-codes.ts'
import { answered, claimOf, siteOf } from '../access/passkeys.ts'
import { hashSecret } from '../../process/secret.ts'
import type { TicketPurpose } from '../access/tickets.ts'
import type { Core } from '../../context.ts'
import type { Accounts } from '../wing.ts'
import type { Passkey } from '../store/factors.ts'
import { Problem } from '../../process/problem.ts'

export type ProofNeeds = Accounts & Pick<Core, 'store' | 'config'>

/** What a person shows as a second factor: a code of an app, a recovery code, or the answer of a passkey as JSON. */
export type Proof = Fields<Omit<ConfirmRequest, 'password'>>

/** What the challenge of a passkey was made for. */
export interface ChallengeUse {
  readonly purpose: TicketPurpose
  readonly bound: string
}

/** Whom the proof is of; undefined for a passkey: it tells by itself. */
interface Whose {
  readonly account: number
  readonly accountId: string
}

/** Checks a second factor of an account; each counts once. @throws Problem */
export async function requireProof(core: ProofNeeds, whose: Whose, proof: Proof, use: ChallengeUse): Promise<void> {
  if (proof.passkey !== '') {
    const { account } = await passkeyUsed(core, proof, use)
    if (account !== whose.account) throw new Problem('passkey', 'must be one of this account')
  } else if (!(await isCode(core, whose, proof.code))) {
    throw new Problem('code', 'is wrong, or was used before: wait for the next one')
  }
}

async function isCode({ store: { factors }, sealer }: ProofNeeds, whose: Whose, code: string): Promise<boolean> {
  const { account, accountId } = whose
  const recovery = hashRecoveryCode(accountId, code)
  if (recovery) return factors.useCode(account, recovery)
  const totp = await factors.totpOf(account)
  if (!totp?.isConfirmed) return false
  const secret = sealer.open({ table: 'totp', column: 'secret', row: account }, totp.secret)
  const step = await stepOf(secret, code, Date.now())
  return step !== undefined && factors.acceptStep(account, step)
}

/** Checks the answer of a passkey to a challenge, which counts once. @throws Problem */
export async function passkeyUsed(
  { store, tickets }: ProofNeeds,
  { passkey: json, origin }: Proof,
  { purpose, bound }: ChallengeUse,
): Promise<Passkey> {
  const site = siteOf(origin)
  const { credential, accountId } = claimOf(json)
  const passkey = await store.factors.passkey(credential)
  if (!passkey) throw unknown()
  const whose = await store.accounts.byId(passkey.account)
  if (accountId !== undefined && accountId !== whose?.accountId) throw unknown()
  let challenge = ''
  const counter = await answered(site, passkey, json, (given) => {
    challenge = given
    return tickets.isValid(purpose, bound, given)
  })
  await spend(store, tickets, challenge)
  if (!(await store.factors.usePasskey(passkey.id, counter))) {
    throw new Problem('passkey', 'was not accepted: a copy of it may be in use')
  }
  return passkey
}

/** A challenge counts once. @throws Problem */
export async function spend(
  { factors }: Pick<Core['store'], 'factors'>,
  { peek }: Accounts['tickets'],
  challenge: string,
): Promise<void> {
  const isFirst = await factors.spend(hashSecret(challenge), peek(challenge).ends)
  if (!isFirst) throw new Problem('passkey', 'was shown before: try again')
}

const unknown = () => new Problem('passkey', 'is not known here: sign in with your password')
