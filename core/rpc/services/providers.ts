import type { ServiceImpl } from '@connectrpc/connect'
import { SignInProblem, type ProviderService, type ProviderSettings } from '../../../gen/lrs/v1/providers_pb.js'
import { finishProviderSignIn, type Finished } from '../../command/accounts/finish-provider-sign-in.ts'
import {
  addProvider,
  openIdClient,
  providerOf,
  removeLink,
  removeProvider,
  setProvider,
} from '../../command/accounts/sign-in-providers.ts'
import {
  SignInFailure,
  startProviderLink,
  startProviderSignIn,
  type SignInProblem as Why,
} from '../../command/accounts/start-provider-sign-in.ts'
import { mayUsePassword } from '../../access/passwords.ts'
import type { Core } from '../../context.ts'
import type { ListedProvider } from '../../store/directory/sign-in-providers.ts'
import { person } from './developer.ts'

const whys: Record<Why, SignInProblem> = {
  over: SignInProblem.OVER,
  denied: SignInProblem.DENIED,
  unreachable: SignInProblem.UNREACHABLE,
  'not-accepted': SignInProblem.NOT_ACCEPTED,
  unknown: SignInProblem.UNKNOWN,
  'no-address': SignInProblem.NO_ADDRESS,
  'address-taken': SignInProblem.ADDRESS_TAKEN,
  'other-domain': SignInProblem.OTHER_DOMAIN,
  'no-group': SignInProblem.NO_GROUP,
  suspended: SignInProblem.SUSPENDED,
  'linked-elsewhere': SignInProblem.LINKED_ELSEWHERE,
  'no-provider': SignInProblem.NO_PROVIDER,
  'too-many': SignInProblem.TOO_MANY,
}
/** Says in the answer why nobody is signed in: a page follows, no error. */
const orWhy = <Result>(result: Promise<Result>): Promise<Result | { problem: SignInProblem }> =>
  result.catch((error: unknown) => {
    if (error instanceof SignInFailure) return { problem: whys[error.problem] }
    throw error
  })

/** Providers of OpenID Connect: admins keep them, people sign in with them. */
export function providerService(core: Core): ServiceImpl<typeof ProviderService> {
  const { store, log } = core
  /** As it is kept after a change; sign-in pages of this core show it at once. */
  const listed = async (name: string) => {
    core.providers.forget()
    const found = (await store.signInProviders.list()).find((one) => one.name === name)
    return { provider: found && messageOf(found) }
  }
  return {
    listSignInProviders: async () => ({
      providers: await core.providers.all(),
      only: core.config.signIn === 'provider',
    }),
    startProviderSignIn: (request) =>
      orWhy(startProviderSignIn(core, { ...request, account: null }).then((url) => ({ url }))),
    async startProviderLink(request, context) {
      const who = await person(core, context)
      return orWhy(startProviderLink(core, who, request).then((url) => ({ url })))
    },
    finishProviderSignIn: (request, context) =>
      orWhy(finishProviderSignIn(core, request, () => person(core, context)).then(finishedMessage)),
    async listProviderLinks(_request, context) {
      const { account } = await person(core, context)
      const [links, all, ways, own] = await Promise.all([
        store.providerLinks.of(account),
        core.providers.all(),
        store.providerLinks.ways(account),
        store.accounts.byId(account),
      ])
      return {
        links: links.map(({ name, label, person, linked, used }) => ({
          provider: { name, label },
          person,
          created: BigInt(linked),
          lastUsed: BigInt(used),
          last: (core.config.signIn === 'provider' ? links.length : ways) === 1,
        })),
        hasPassword: mayUsePassword(core, own!),
        others: all.filter(({ name }) => !links.some((link) => link.name === name)),
      }
    },
    async removeProviderLink({ provider }, context) {
      await removeLink(core, await person(core, context), provider)
      return {}
    },
    async addProvider({ name, issuer, clientSecret, settings }) {
      await addProvider(core, { name, issuer, clientSecret, settings: settingsOf(settings) })
      log.info({ provider: name, issuer }, 'a sign-in provider was added')
      return listed(name)
    },
    listProviders: async () => ({ providers: (await store.signInProviders.list()).map(messageOf) }),
    async setProvider({ name, settings, clientSecret }) {
      await setProvider(core, name, settingsOf(settings), clientSecret)
      log.info({ provider: name }, 'a sign-in provider was changed')
      return listed(name)
    },
    async removeProvider({ name, preview }) {
      const removed = await removeProvider(core, name, preview)
      if (!preview) {
        core.providers.forget()
        log.info({ provider: name, ...removed }, 'a sign-in provider was removed')
      }
      return removed
    },
    async testProvider({ name }) {
      const provider = await providerOf(core, name)
      return { findings: await core.outgoing.openIdExamine({ provider: openIdClient(core, provider) }) }
    },
  }
}

function finishedMessage(finished: Finished) {
  if ('linked' in finished) return finished
  const { signedIn, ...rest } = finished
  if (!('session' in signedIn)) return { ...rest, ...signedIn, passkey: signedIn.passkeys > 0 }
  return { ...rest, ...signedIn, expires: BigInt(signedIn.expires) }
}

const settingsOf = ({
  label = '',
  clientId = '',
  scopes = [],
  groupClaim = '',
  groups,
  opens = false,
  domains = [],
}: Partial<ProviderSettings> = {}) => ({
  label,
  clientId,
  scopes,
  groupClaim,
  opens,
  domains,
  groups: { admin: groups?.admin ?? [], reviewer: groups?.reviewer ?? [], studio: groups?.studio ?? [] },
})

const messageOf = ({ created, groups, ...provider }: ListedProvider) => ({
  ...provider,
  groups: { admin: [...groups.admin], reviewer: [...groups.reviewer], studio: [...groups.studio] },
  scopes: [...provider.scopes],
  domains: [...provider.domains],
  created: BigInt(created),
})
