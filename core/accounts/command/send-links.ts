import type { Core } from '../../context.ts'
import type { Accounts } from '../wing.ts'
import { knownLanguage } from '../../../shared/texts.ts'
import { hasAccount, newAddress, newPassword, verifyAddress } from '../notices/texts.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Person } from '../store/studio-sessions.ts'
import { emailAddress, keptAddress } from '../../process/rules/email.ts'
import { Problem } from '../../process/problem.ts'
import { requirePassword } from './accounts.ts'
import { countMail, mayGet } from './may-mail.ts'

type Needs = Accounts & Pick<Core, 'store' | 'config'>

/**
 * Sends a link to a new password, if there is such an account. It takes as long either way.
 * @throws Problem, Refusal
 */
export async function sendReset(
  core: Needs,
  {
    email: given,
    senderIp,
    language,
  }: { readonly email: string; readonly senderIp: string; readonly language: string },
): Promise<void> {
  requireMail(core)
  const email = keptAddress(given)
  await countMail(core, { senderIp })
  if (await mayGet(core, 'reset', email))
    await core.store.mailLinks.reset(email, { ...newPassword, language: knownLanguage(language) })
}

/** Sends a link to the account's own address. @throws Refusal */
export async function sendVerification(core: Needs, { account, email, verified }: Person): Promise<void> {
  requireMail(core)
  if (verified) throw new Refusal('conflict', 'Your e-mail address is verified already.')
  if (!(await mayGet(core, 'verify', email))) throw tooMany()
  await core.store.mailLinks.toAccount('verify', account, email, verifyAddress)
}

/**
 * Sends a link to a new address; the account gets this address when the link is used. A link to an address that was
 * asked for before ends. If the address has an account, it gets a notice instead; the answer is the same.
 * @throws Problem, Refusal
 */
export async function sendNewAddress(
  core: Needs,
  person: Person,
  given: { readonly email: string; readonly currentPassword: string; readonly senderIp: string },
): Promise<void> {
  requireMail(core)
  const email = emailAddress(given.email)
  if (email === person.email) throw new Problem('email', 'must be another address than the one that you have')
  await requirePassword(core, person, given.currentPassword, 'current_password')
  await countMail(core, { account: person.accountId, senderIp: given.senderIp })
  if (!(await mayGet(core, 'address', email))) throw tooMany()
  const isTaken = (await core.store.accounts.byEmail(email)) !== undefined
  const { mailLinks } = core.store
  if (isTaken) await mailLinks.addressTaken(person.account, email, hasAccount)
  else await mailLinks.toAccount('address', person.account, email, newAddress)
}

const tooMany = () =>
  new Refusal('rate-limited', 'Too many mails went to this address within the hour. Try again later.', {
    rule: 'limits#mail-to',
  })

function requireMail({ notices }: Needs): void {
  if (notices.mail) return
  throw new Refusal(
    'conflict',
    'This service sends no mails: its operator has set no mail server, and can give you a new password.',
  )
}
