import { randomUUID } from 'node:crypto'
import { signInProviders as limits } from '../../../shared/limits.ts'
import type { Core } from '../../context.ts'
import type { OpenIdProvider } from '../../process/outgoing/openid-discovery.ts'
import { Refusal } from '../../process/refusal.ts'
import type { SignInProvider } from '../store/sign-in-providers.ts'
import type { NoticeText } from '../store/notices.ts'
import type { Person } from '../store/studio-sessions.ts'
import { providerIssuer, providerName, providerSettings, type ProviderSettings } from '../rules/sign-in-provider.ts'
import { checkAll } from '../../process/rules/check-all.ts'
import { Problem } from '../../process/problem.ts'

type Needs = Pick<Core, 'store' | 'sealer'>

const sealContextOf = (uuid: string) => ({ table: 'sign_in_provider', column: 'client_secret', row: uuid })

/** How we call a provider: with its secret. */
export const openIdClient = (
  { sealer }: Pick<Core, 'sealer'>,
  { uuid, issuer, clientId, clientSecret }: SignInProvider,
): OpenIdProvider => ({
  issuer,
  clientId,
  clientSecret: clientSecret ? sealer.open(sealContextOf(uuid), clientSecret) : '',
})

const sealed = ({ sealer }: Pick<Core, 'sealer'>, uuid: string, secret: string): Buffer | null =>
  secret === '' ? null : sealer.seal(sealContextOf(uuid), secret)

/** Adds a provider; for admins. @throws Problem, Refusal 'conflict' */
export async function addProvider(
  core: Needs,
  given: { name: string; issuer: string; clientSecret: string; settings: ProviderSettings },
): Promise<void> {
  const [name, issuer, settings] = checkAll(
    () => providerName(given.name),
    () => providerIssuer(given.issuer),
    () => providerSettings(given.settings),
  )
  await requireSchool(core, settings)
  const uuid = randomUUID()
  const clientSecret = sealed(core, uuid, given.clientSecret)
  const outcome = await core.store.signInProviders.add({ uuid, name, issuer, clientSecret, ...settings }, limits.inAll)
  if (outcome === 'taken') throw new Problem('name', 'must be new: there is a provider of this name')
  if (outcome === 'full')
    throw new Refusal('conflict', `There are ${limits.inAll} providers already; remove one first.`)
}

/** @throws Problem */
async function requireSchool({ store }: Needs, { school }: ProviderSettings): Promise<void> {
  if (school !== '' && (await store.studios.bySlug(school))?.kind !== 'school')
    throw new Problem('school', 'must be the name of a school in addresses')
}

/** Changes a provider; for admins. @param clientSecret undefined: it stays @throws Problem, Refusal 'not-found' */
export async function setProvider(
  core: Needs,
  name: string,
  given: ProviderSettings,
  clientSecret: string | undefined,
): Promise<void> {
  const { id, uuid } = await providerOf(core, name)
  const settings = providerSettings(given)
  await requireSchool(core, settings)
  const secret = clientSecret === undefined ? undefined : sealed(core, uuid, clientSecret)
  await core.store.signInProviders.update(id, settings, secret)
}

/** @throws Refusal 'not-found' */
export async function providerOf({ store }: Pick<Core, 'store'>, name: string): Promise<SignInProvider> {
  const provider = await store.signInProviders.byName(name)
  if (!provider) throw new Refusal('not-found', 'There is no provider of this name.')
  return provider
}

/**
 * Removes a provider with its links and the roles that it gave; for admins. `stranded` accounts had no other way to
 * sign in. @throws Refusal 'not-found'
 */
export async function removeProvider(
  core: Needs,
  name: string,
  preview: boolean,
): Promise<{ links: number; stranded: number }> {
  const { id } = await providerOf(core, name)
  const { signInProviders, providerLinks, transaction } = core.store
  return transaction(async (run) => {
    const linked = await providerLinks.accountsOf(run, id)
    if (!preview) {
      await signInProviders.remove(run, id)
      for (const { account } of linked) await providerLinks.settle(run, account)
    }
    return { links: linked.length, stranded: linked.filter(({ ways }) => ways === 1).length }
  })
}

/** Tells an account that it can sign in with a provider from now on, or no longer. */
export const linkChanged = (label: string, isLinked: boolean): NoticeText => ({
  title: isLinked ? `${label} was linked to your account` : `The link to ${label} was removed`,
  lines: [
    isLinked
      ? `A sign-in at ${label} as the person that you linked opens your account from now on.`
      : `Nobody can sign in to your account with ${label} any more.`,
    'If that was not you, change your password, end all sessions, and remove what you do not know.',
  ],
  path: '/account/providers',
  action: 'See the providers of your account',
})

/** Ends a link of an account. @throws Refusal 'not-found', 'conflict' for the last way to sign in */
export async function removeLink(
  { store, notices, config }: Pick<Core, 'store' | 'notices' | 'config'>,
  { account }: Person,
  { provider: name }: { readonly provider: string },
): Promise<void> {
  const link = (await store.providerLinks.of(account)).find((one) => one.name === name)
  await store.transaction(async (run) => {
    await store.providerLinks.lock(run, account)
    const { ways, of } = store.providerLinks
    const isLast = (config.signIn === 'provider' ? (await of(account, run)).length : await ways(account, run)) === 1
    if (!link || !(await store.providerLinks.remove(run, account, name)))
      throw new Refusal('not-found', 'Your account is not linked to this provider.')
    if (isLast)
      throw new Refusal('conflict', 'This is your only way to sign in: set a password or link another provider first.')
    await notices.tell({ accounts: [account] }, 'security', linkChanged(link.label, false), run)
  })
}
