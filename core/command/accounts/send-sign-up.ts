import { hash } from 'node:crypto'
import type { Core } from '../../context.ts'
import type { Database } from '../../store/database.ts'
import type { LinkPurpose } from '../../store/directory/mail-links.ts'
import { confirmSignUp, hasAccount } from '../../notices/texts.ts'

/** What the link of a sign-up makes. */
export interface SignUpData {
  readonly passwordHash: string
  /** Of the studio; empty: none. */
  readonly name: string
}

/** Sends a link that makes an account, or word that there is one. It takes as long either way. */
export async function sendSignUp(core: Pick<Core, 'store'>, email: string, data: SignUpData): Promise<void> {
  if (await mayGet(core, 'sign-up', email)) await core.store.mailLinks.signUp(email, data, confirmSignUp, hasAccount)
}

/**
 * Whether another mail may go to an address: strangers can cause only a limited number. Each purpose counts
 * apart, so that sign-ups with an address do not keep its owner from a new password.
 */
export const mayGet = (
  { store }: Pick<Core, 'store'>,
  purpose: LinkPurpose | 'invitation',
  email: string,
  run?: Database['run'],
): Promise<boolean> => store.portalLimits.take('mail-to', hash('sha256', JSON.stringify([purpose, email])), run)
