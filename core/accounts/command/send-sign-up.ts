import type { Core } from '../../context.ts'
import { confirmSignUp, hasAccount } from '../notices/texts.ts'
import type { OrganisationKind } from '../rules/roles.ts'
import { mayGet } from './may-mail.ts'

/** What the link of a sign-up makes. */
export interface SignUpData {
  readonly passwordHash: string
  /** Of the studio or school; empty: none. */
  readonly name: string
  readonly kind: OrganisationKind
  /** Of mails to the account; empty: English. */
  readonly language: string
}

/** Sends a link that makes an account, or word that there is one. It takes as long either way. */
export async function sendSignUp(core: Pick<Core, 'store'>, email: string, data: SignUpData): Promise<void> {
  if (await mayGet(core, 'sign-up', email)) {
    const { language } = data
    await core.store.mailLinks.signUp(email, data, { ...confirmSignUp, language }, { ...hasAccount, language })
  }
}
