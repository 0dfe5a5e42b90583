import type { Role } from '../../shared/settings/own-kinds.ts'
import { Refusal } from '../process/refusal.ts'
import type { SignInWays } from '../process/config/sign-in-ways.ts'
import type { Declared, Who } from '../process/methods/declaration.ts'
import { say } from '../../shared/say.ts'

/** @param role of the service token; undefined: none, so it may be a game, whose credential the method checks */
export const mayCall = (who: readonly Who[], role: Role | undefined): boolean =>
  who.includes('anybody') || who.includes(role ?? 'game')

/** @throws Refusal */
export function admit({ who }: Declared, role: Role | undefined): void {
  if (mayCall(who, role)) return
  if (role === undefined)
    throw new Refusal('unauthenticated', 'A service token is needed: Authorization: Bearer <token>.', {
      subject: 'service-token',
    })
  const roles = who.filter((one) => one !== 'game').join(' or ')
  const game = who.includes('game') ? "a game's own credential, or " : ''
  throw new Refusal('forbidden', say`This call needs ${game}a service token of the role ${roles}.`, {
    subject: 'service-token',
  })
}

/** @throws Refusal 'forbidden' where people sign in with a provider only */
export function requireOpen(ways: SignInWays, { byPassword }: Declared): void {
  if (ways === 'provider' && byPassword)
    throw new Refusal('forbidden', 'People sign in to this service with a provider only: there are no passwords.')
}
