import type { Core } from '../../context.ts'
import type { Accounts } from '../wing.ts'
import type { OpenIdPerson } from '../../process/outgoing/openid-claims.ts'
import type { SignInProvider } from '../store/sign-in-providers.ts'
import type { Person } from '../store/studio-sessions.ts'
import { emailAddress } from '../../process/rules/email.ts'
import { isAdmitted, isOfDomain, rolesOf } from '../rules/sign-in-provider.ts'
import { excerpt } from '../../process/rules/text.ts'
import { Problem } from '../../process/problem.ts'
import { firstStep, type HalfSignedIn, type SignedIn } from './accounts.ts'
import { linkChanged } from './sign-in-providers.ts'
import { returned, SignInFailure, unlessTooMany, type Return } from './start-provider-sign-in.ts'

type Needs = Accounts & Pick<Core, 'store' | 'config' | 'outgoing' | 'log'>
type Found = { readonly provider: SignInProvider; readonly person: OpenIdPerson }

export type Finished =
  | { readonly linked: true; readonly next: string; readonly email: string }
  | {
      readonly signedIn: SignedIn | HalfSignedIn
      readonly email: string
      readonly opened: boolean
      readonly next: string
    }

/**
 * Signs in whom the provider sends back, or links them to the account that asked for it.
 * @param session the account whose session the call carries
 * @throws SignInFailure
 */
export async function finishProviderSignIn(
  core: Needs,
  given: Return & { senderIp: string; known: string; userAgent: string },
  session: () => Promise<Person>,
): Promise<Finished> {
  const found = await returned(core, given)
  const { account, next } = found.attempt
  if (account === null) return signIn(core, found, given, next)
  const own = await session()
  if (own.account !== account) throw new SignInFailure('over')
  const at = atProvider(found)
  if (!isAdmitted(at.roles, found.provider)) throw new SignInFailure('no-group')
  const { providerLinks, transaction } = core.store
  return transaction(async (run) => {
    const isNew = await providerLinks.add(run, at, account)
    // a second time is no error
    if (!isNew && (await providerLinks.find(at.provider, at.subject, run))?.account !== account)
      throw new SignInFailure('linked-elsewhere')
    if (isNew)
      await core.notices.tell({ accounts: [account] }, 'security', linkChanged(found.provider.label, true), run)
    await providerLinks.verified(run, account, found.person.email.toLowerCase())
    return { linked: true, next, email: own.email }
  })
}

const atProvider = ({ provider, person }: Found) => ({
  provider: provider.id,
  subject: person.subject,
  person: excerpt(person.email || person.name, 200),
  roles: rolesOf(person.groups, provider),
})

async function signIn(
  core: Needs,
  found: Found,
  { senderIp, known, userAgent }: { senderIp: string; known: string; userAgent: string },
  next: string,
): Promise<Finished> {
  const { store, browsers } = core
  const at = atProvider(found)
  const linked = await store.providerLinks.find(at.provider, at.subject)
  // groups that are gone take their roles with them, also from those who may not sign in any more
  if (linked) await store.transaction((run) => store.providerLinks.seen(run, at, isAdmitted(at.roles, found.provider)))
  if (!isAdmitted(at.roles, found.provider)) throw new SignInFailure('no-group')
  if (linked?.suspended) throw new SignInFailure('suspended')
  const account = linked ?? (await open(core, found, senderIp))
  const browser = browsers.browserOf(known, account.email)
  const signedIn = await firstStep(core, account, { userAgent, browser, isFirst: !linked })
  return { signedIn, email: account.email, opened: !linked, next }
}

/** A new account for a person who is linked to none. */
async function open(core: Needs, found: Found, senderIp: string) {
  const { provider, person } = found
  const { store } = core
  if (!provider.opens) throw new SignInFailure('unknown')
  const email = addressOf(person)
  if (email === undefined) throw new SignInFailure('no-address')
  if (!isOfDomain(email, provider)) throw new SignInFailure('other-domain')
  if (await store.accounts.byEmail(email)) throw new SignInFailure('address-taken')
  await unlessTooMany(store.portalLimits.requireFrom('sign-up-from', senderIp))
  const at = atProvider(found)
  const mayOwn = provider.groups.studio.length > 0 ? 0 : 1
  const school = provider.school === '' ? undefined : await store.studios.bySlug(provider.school)
  const account = await store.transaction(async (run) => {
    const added = await store.providerLinks.open(run, email, excerpt(person.name, 100), mayOwn)
    if (added) {
      await store.providerLinks.add(run, at, added.account)
      await store.providerLinks.seen(run, at, true)
      if (school) await store.members.add(run, school.studio, added.account, 'teacher')
    }
    return added
  })
  if (!account) throw new SignInFailure('address-taken')
  return { ...account, email, passwordHash: null }
}

/** The verified address; undefined: there is none that can be kept. */
function addressOf({ email }: OpenIdPerson): string | undefined {
  try {
    return emailAddress(email)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
