import { Refusal } from '../../process/refusal.ts'
import type { TokenHolder } from '../store/personal-tokens.ts'
import type { Store } from '../../store.ts'
import { tokenScopes, type TokenScope } from '../rules/token-scopes.ts'
import { requireRole, withWaiting } from './developer.ts'
import { isPersonalToken } from './personal-tokens.ts'
import { hashSecret } from '../../process/secret.ts'
import { say } from '../../../shared/say.ts'

/**
 * The member whose personal token it is. Failures count for the sender, like those of sign-ins; a valid token is good
 * in any case.
 * @param mail mails are sent, so some rights wait until the address is verified
 * @throws Refusal
 */
export async function tokenHolder(
  { personalTokens, portalLimits }: Pick<Store, 'personalTokens' | 'portalLimits'>,
  token: string,
  senderIp: string,
  mail: boolean,
): Promise<TokenHolder> {
  const holder = isPersonalToken(token) ? await personalTokens.find(hashSecret(token)) : undefined
  if (holder) return { ...holder, ...withWaiting(holder, mail) } as TokenHolder
  await portalLimits.requireFrom('token-from', senderIp)
  throw ended()
}

/** The same member as of now, for calls that go on for long. @throws Refusal when the token has ended */
export async function renewedHolder(
  { personalTokens }: Pick<Store, 'personalTokens'>,
  { session: hash }: TokenHolder,
  mail: boolean,
): Promise<TokenHolder> {
  const holder = await personalTokens.find(hash)
  if (!holder) throw ended()
  return { ...holder, ...withWaiting(holder, mail) } as TokenHolder
}

const ended = () => new Refusal('unauthenticated', 'The personal token is unknown, has expired, or was revoked.')

/** @param sufficient one of them is needed; none: no token may do it @throws Refusal */
export function requireScope(holder: TokenHolder, sufficient: readonly TokenScope[]): void {
  if (sufficient.length === 0)
    throw new Refusal('forbidden', 'A personal token cannot do this: sign in to the portal, or ask the operator.')
  const held = sufficient.find((scope) => holder.token.scopes.includes(scope))
  if (!held) {
    const which = sufficient.join(' or ')
    throw new Refusal('forbidden', say`The personal token lacks the scope ${which}: make another one in the portal.`)
  }
  requireRole(holder, tokenScopes[held].role)
}
