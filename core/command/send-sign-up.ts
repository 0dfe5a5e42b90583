import { hash } from 'node:crypto'
import type { Core } from '../context.ts'
import { confirmSignUp, hasAccount } from '../notices/texts.ts'

/** What the link of a sign-up makes. */
export interface SignUpData {
  readonly passwordHash: string
  /** Of the studio; empty: none. */
  readonly name: string
}

/** Sends a link that makes an account, or word that there is one. It takes as long either way. */
export async function sendSignUp(core: Pick<Core, 'store'>, email: string, data: SignUpData): Promise<void> {
  if (await mayGet(core, email)) await core.store.mailLinks.signUp(email, data, confirmSignUp, hasAccount)
}

/** Whether another link may go to an address: strangers can cause only a limited number. */
export const mayGet = ({ store }: Pick<Core, 'store'>, email: string): Promise<boolean> =>
  store.portalLimits.take('mail-to', hash('sha256', email))
