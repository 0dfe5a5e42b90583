import { mayUsePassword } from '../access/passwords.ts'
import type { Core } from '../../context.ts'
import type { Person } from '../store/studio-sessions.ts'
import { needsFactor } from '../../process/config/second-factor.ts'

/** How an account signs in, for its own page. */
export async function signInSettings(
  { store, sealer, config }: Pick<Core, 'store' | 'sealer' | 'config'>,
  person: Person,
) {
  const [factors, passkeys, account] = await Promise.all([
    store.factors.of(person.account),
    store.factors.passkeysOf(person.account),
    store.accounts.byId(person.account),
  ])
  return {
    totp: factors.totp,
    /** Without keys nothing can be kept. */
    mayHaveTotp: sealer.canSeal,
    recoveryCodes: factors.recoveryCodes,
    passkeys,
    needed: needsFactor(config.secondFactor, person),
    fresh: person.isFresh,
    hasPassword: account !== undefined && mayUsePassword({ config }, account),
  }
}
