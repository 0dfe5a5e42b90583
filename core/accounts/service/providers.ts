import { SignInProblem, ProviderService, type ProviderSettings } from '../../../gen/lrs/v1/providers_pb.js'
import { finishProviderSignIn, type Finished } from '../command/finish-provider-sign-in.ts'
import {
  addProvider,
  openIdClient,
  providerOf,
  removeLink,
  removeProvider,
  setProvider,
} from '../command/sign-in-providers.ts'
import { SignInFailure, startProviderLink, startProviderSignIn } from '../command/start-provider-sign-in.ts'
import { mayUsePassword } from '../access/passwords.ts'
import type { Core } from '../../context.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, NotAudited } from '../../process/methods/audit-entries.ts'
import { byPerson, person } from '../../process/methods/developer.ts'
import { byName } from '../../process/methods/enums.ts'

const whys = byName(SignInProblem)
/** Says in the answer why nobody is signed in: a page follows, no error. */
const orWhy = <Result>(result: Promise<Result>): Promise<Result | { problem: SignInProblem }> =>
  result.catch((error: unknown) => {
    if (error instanceof SignInFailure) return { problem: whys[error.problem] }
    throw error
  })

/** As it is kept after a change; sign-in pages of this core show it at once. */
async function listed({ providers, store }: Core, name: string) {
  providers.forget()
  return { provider: (await store.signInProviders.list()).find((one) => one.name === name) }
}

const begun = new NotAudited('It only begins: FinishProviderSignIn is audited.')

/** Providers of OpenID Connect: admins keep them, people sign in with them. */
export const providerService = service(ProviderService, {
  listSignInProviders: method({ right: 'public', audit: reads }, async (core) => ({
    providers: await core.providers.all(),
    only: core.config.signIn === 'provider',
  })),
  startProviderSignIn: method({ right: 'public', audit: begun }, (core, request) =>
    orWhy(startProviderSignIn(core, { ...request, account: null }).then((url) => ({ url }))),
  ),
  startProviderLink: method({ right: 'account', audit: begun }, async (core, request, context) => {
    const who = await person(core, context)
    return orWhy(startProviderLink(core, who, request).then((url) => ({ url })))
  }),
  finishProviderSignIn: method(
    {
      right: 'public',
      audit: {
        action: 'account.sign-in-with-provider',
        subject: (_, done) => (done?.email ? { kind: 'account', id: done.email } : undefined),
        details: ({ provider }, done) => ({
          // a caller who comes back without a sign-in under way may name anything
          provider: done && done.problem !== SignInProblem.OVER ? provider : undefined,
          problem: done?.problem ? SignInProblem[done.problem]?.toLowerCase() : undefined,
          linked: done?.linked || undefined,
          opened: done?.opened || undefined,
        }),
        isRefused: ({ problem }) => problem !== SignInProblem.UNSPECIFIED,
        signsIn: true,
      },
    },
    (core, request, context) =>
      orWhy(finishProviderSignIn(core, request, () => person(core, context)).then(finishedMessage)),
  ),
  listProviderLinks: method({ right: 'account', audit: reads }, async (core, _request, context) => {
    const { account } = await person(core, context)
    const [links, all, ways, own] = await Promise.all([
      core.store.providerLinks.of(account),
      core.providers.all(),
      core.store.providerLinks.ways(account),
      core.store.accounts.byId(account),
    ])
    return {
      links: links.map((link) => ({
        ...link,
        provider: link,
        last: (core.config.signIn === 'provider' ? links.length : ways) === 1,
      })),
      hasPassword: mayUsePassword(core, own!),
      others: all.filter(({ name }) => !links.some((link) => link.name === name)),
    }
  }),
  removeProviderLink: method(
    {
      right: 'account',
      audit: {
        action: 'account.unlink-provider',
        details: ({ provider }, done) => ({ provider: done && provider }),
      },
    },
    byPerson(removeLink),
  ),
  addProvider: method(
    {
      right: 'none',
      audit: { action: 'provider.add', details: ({ name }, done) => ({ name, issuer: done?.provider?.issuer }) },
    },
    async (core, { name, issuer, clientSecret, settings }) => {
      await addProvider(core, { name, issuer, clientSecret, settings: settingsOf(settings) })
      core.log.info({ provider: name, issuer }, 'a sign-in provider was added')
      return listed(core, name)
    },
  ),
  listProviders: method({ right: 'none', audit: reads }, async ({ store }) => ({
    providers: await store.signInProviders.list(),
  })),
  setProvider: method(
    {
      right: 'none',
      audit: {
        action: 'provider.set',
        details: ({ name, clientSecret }) => ({ name, secret: clientSecret !== undefined }),
      },
    },
    async (core, { name, settings, clientSecret }) => {
      await setProvider(core, name, settingsOf(settings), clientSecret)
      core.log.info({ provider: name }, 'a sign-in provider was changed')
      return listed(core, name)
    },
  ),
  removeProvider: method(
    {
      right: 'none',
      audit: {
        action: 'provider.remove',
        details: ({ name }, done) => ({ name, links: done?.links, stranded: done?.stranded }),
        unless: ({ preview }) => preview,
      },
    },
    async (core, { name, preview }) => {
      const removed = await removeProvider(core, name, preview)
      if (!preview) {
        core.providers.forget()
        core.log.info({ provider: name, ...removed }, 'a sign-in provider was removed')
      }
      return removed
    },
  ),
  testProvider: method({ right: 'none', audit: reads }, async (core, { name }) => {
    const provider = await providerOf(core, name)
    return { findings: await core.outgoing.openIdExamine({ provider: openIdClient(core, provider) }) }
  }),
})

function finishedMessage(finished: Finished) {
  if ('linked' in finished) return finished
  const { signedIn, ...rest } = finished
  const passkey = 'session' in signedIn ? undefined : signedIn.passkeys > 0
  return { ...rest, ...signedIn, passkey }
}

const settingsOf = ({
  label = '',
  clientId = '',
  scopes = [],
  groupClaim = '',
  groups,
  opens = false,
  domains = [],
  school = '',
}: Partial<ProviderSettings> = {}) => ({
  label,
  clientId,
  scopes,
  groupClaim,
  opens,
  domains,
  school,
  groups: { admin: groups?.admin ?? [], reviewer: groups?.reviewer ?? [], studio: groups?.studio ?? [] },
})
