import type { Core } from '../../context.ts'
import type { Accounts } from '../wing.ts'
import { addressChanged, passwordReset } from '../notices/texts.ts'
import { Refusal } from '../../process/refusal.ts'
import type { LinkPurpose, MailLink } from '../store/mail-links.ts'
import type { Person } from '../store/studio-sessions.ts'
import { crowdOf } from '../../process/rules/network.ts'
import { requireUsable } from '../rules/password.ts'
import { Problem } from '../../process/problem.ts'
import { addAccount, owner, startSession, type SignedIn } from './accounts.ts'
import type { SignUpData } from './send-sign-up.ts'

type Needs = Accounts & Pick<Core, 'store' | 'config'>

interface FoundLink extends MailLink {
  readonly id: string
}

/** What a link is good for; it stays good. @throws Refusal 'not-found' */
export async function findLink({ links, store }: Needs, code: string, ...purposes: LinkPurpose[]): Promise<FoundLink> {
  const id = links.linkOf(code)
  const link = id === undefined ? undefined : await store.mailLinks.look(id)
  if (!link || id === undefined || (purposes.length > 0 && !purposes.includes(link.purpose))) throw noLink()
  return { ...link, id }
}

/**
 * Makes the account of a sign-up. The password shows that the reader of the mail is who signed up, since anybody can
 * sign up with another person's address. @throws Problem, Refusal
 */
export async function confirmSignUp(
  core: Needs,
  given: { code: string; password: string; senderIp: string; userAgent: string },
): Promise<SignedIn & { readonly email: string }> {
  const { id, email, data } = await findLink(core, given.code, 'sign-up')
  // links that were sent before there were schools have neither kind nor language
  const made: SignUpData = { kind: 'studio', language: '', ...(data as Omit<SignUpData, 'kind' | 'language'>) }
  const { passwordHash } = made
  await core.store.portalLimits.require('sign-in', owner(id))
  if (!(await core.passwords.matches(given.password, passwordHash, crowdOf(given.senderIp))))
    throw new Problem('password', 'must be the one that you chose when you signed up')
  const account = await core.store.transaction(async (run) => {
    if (!(await core.store.mailLinks.use(run, id, 'sign-up'))) throw noLink()
    const account = await addAccount(core.store, run, email, made)
    await core.store.accounts.verify(run, account, email)
    return account
  })
  const session = await startSession(
    core,
    { account, email, passwordHash },
    { userAgent: given.userAgent, isFirst: true },
  )
  return { ...session, email }
}

/** Sets a password, ends every session, and verifies the address, which has got the link. @throws Problem, Refusal */
export async function usePasswordLink(
  core: Needs,
  { code, password }: { readonly code: string; readonly password: string },
): Promise<{ email: string }> {
  const { id, email } = await findLink(core, code, 'reset')
  requireUsable(password, email)
  const passwordHash = await core.passwords.hash(password, id)
  await core.store.transaction(async (run) => {
    const link = await core.store.mailLinks.use(run, id, 'reset')
    if (!link || link.account === null || !(await core.store.accounts.verify(run, link.account, email))) throw noLink()
    await core.store.accounts.replacePassword(run, link.account, passwordHash)
    await core.notices.tell({ accounts: [link.account] }, 'security', passwordReset, run)
  })
  return { email }
}

/**
 * Verifies the address of an account, or makes it the one of the link. A new address may be mistyped, so its link alone
 * does nothing: it takes the session of the account.
 * @throws Problem, Refusal
 */
export async function useAddressLink(core: Needs, code: string, session: () => Promise<Person>): Promise<string> {
  const { id, purpose, account: whose } = await findLink(core, code, 'verify', 'address')
  if (purpose === 'address' && (await session()).account !== whose)
    throw new Refusal('forbidden', 'This link is of another account: sign out, and sign in to that account.')
  const { transaction, accounts, mailLinks } = core.store
  return transaction(async (run) => {
    const link = await mailLinks.use(run, id, purpose)
    if (!link || link.account === null) throw noLink()
    const { account, email } = link
    if (purpose === 'verify') {
      if (!(await accounts.verify(run, account, email))) throw noLink()
      return email
    }
    const before = await accounts.setEmail(run, account, email)
    if (before === undefined) throw new Problem('email', 'has an account already: sign in with it')
    await mailLinks.drop(run, account)
    await core.notices.tell({ accounts: [account] }, 'security', addressChanged(email), run)
    await core.notices.write(before, 'security', addressChanged(), run)
    return email
  })
}

const noLink = () =>
  new Refusal('not-found', 'This link cannot be used: it was used already, or it is too old. Ask for another one.')
