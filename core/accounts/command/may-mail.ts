import { hash } from 'node:crypto'
import type { Core } from '../../context.ts'
import type { Run } from '../../process/database/database.ts'
import type { LinkPurpose } from '../store/mail-links.ts'
import { mailboxOf } from '../../process/rules/email.ts'

type Needs = Pick<Core, 'store'>

/** Who makes the service send a mail to another person: an account, and the address that the request comes from. */
export interface Asking {
  /** UUID; undefined: nobody is signed in. */
  readonly account?: string
  /** Empty: not known. */
  readonly senderIp: string
}

/** Counts a mail to an address of another person, for any purpose. @throws Refusal 'rate-limited' */
export async function countMail({ store: { portalLimits } }: Needs, { account, senderIp }: Asking): Promise<void> {
  if (senderIp !== '') await portalLimits.requireFrom('mail-from', senderIp)
  if (account !== undefined) await portalLimits.require('mail-by', account)
}

/**
 * Whether one more mail may go to an address: all people together can cause only a limited number. Each purpose has its
 * own count, so sign-ups with an address do not keep its owner from a new password.
 */
export const mayGet = (
  { store }: Needs,
  purpose: LinkPurpose | 'invitation',
  email: string,
  run?: Run,
): Promise<boolean> =>
  store.portalLimits.take('mail-to', hash('sha256', JSON.stringify([purpose, mailboxOf(email)])), run)
