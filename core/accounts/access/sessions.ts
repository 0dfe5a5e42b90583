import type { TokenHolder } from '../store/personal-tokens.ts'
import type { Developer, Person } from '../store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import type { SecondFactorPolicy } from '../../process/config/second-factor.ts'
import type { TokenScope } from '../rules/token-scopes.ts'
import { personOf, requireFactor, requireRole } from './developer.ts'
import { requireRight, type Right } from './rights.ts'
import { renewedHolder, requireScope } from './token-holder.ts'

/** By what a call shows whose it is. */
export interface Carrier {
  readonly session?: string
  /** With a personal token: whose it is. */
  holder?: TokenHolder
  /** Set when the session was found: who calls. */
  person?: Pick<Person, 'accountId' | 'email' | 'studioId'>
  readonly declared?: { readonly right: Right; readonly tokens: readonly TokenScope[] }
}

/** Who calls: by a session of the portal, or by a personal token. @param mail mails are sent */
export function sessions(
  store: Pick<Store, 'studioSessions' | 'personalTokens'>,
  policy: SecondFactorPolicy,
  mail: boolean,
) {
  /** @throws Refusal unless the account may call the method */
  async function person(call: Carrier): Promise<Person> {
    const one = call.holder ?? (await personOf(store, call.session ?? '', mail))
    call.person = one
    requireRight(call.declared!.right, one, policy)
    return one
  }
  return {
    person,
    /** The same for a method that is for members: its declared right says of what. */
    developer: async (call: Carrier): Promise<Developer> => requireRole(await person(call), 'member'),
    /** The member who reads statements of the studio. @throws Refusal */
    async reader({ holder, session }: Carrier): Promise<Developer> {
      const one = holder ?? (await personOf(store, session ?? '', mail))
      requireFactor(one, policy)
      return holder ?? requireRole(one, 'analyst')
    },
    /** Reads a personal token again, in a call that goes on for long. @throws Refusal when it has ended */
    async renew(call: Carrier): Promise<void> {
      if (!call.holder) return
      call.holder = await renewedHolder(store, call.holder, mail)
      requireScope(call.holder, call.declared!.tokens)
    },
  }
}

export type Sessions = ReturnType<typeof sessions>
