import {
  ListProvidersResponseSchema,
  ProviderSchema,
  TestProviderResponseSchema,
  type Provider,
} from '../../gen/lrs/v1/providers_pb.js'
import { askSecret, secretIn } from '../ask-secret.ts'
import { confirmed } from '../confirm.ts'
import { Failed } from '../failed.ts'
import { jsonOf } from '../json-of.ts'
import type { Session, Work } from '../session.ts'
import { list, table, time, type Shown } from '../show.ts'

interface Settings {
  readonly label?: string
  readonly clientId?: string
  readonly secretFile?: string
  /** False: there is none. */
  readonly secret?: boolean
  readonly scopes?: string[]
  readonly groupClaim?: string
  readonly adminGroup?: string[]
  readonly reviewerGroup?: string[]
  readonly studioGroup?: string[]
  readonly openAccounts?: boolean
  readonly domain?: string[]
}

const filled = (values: readonly string[]): string[] => values.filter((value) => value !== '')

/** What is given; for the rest, what there is. */
const settingsOf = (given: Settings, before?: Provider) => ({
  label: given.label ?? before?.label ?? '',
  clientId: given.clientId ?? before?.clientId ?? '',
  // some write them with spaces between, as the standard does
  scopes: filled((given.scopes ?? before?.scopes ?? ['email', 'profile']).flatMap((scope) => scope.split(' '))),
  groupClaim: given.groupClaim ?? before?.groupClaim ?? '',
  groups: {
    admin: filled(given.adminGroup ?? before?.groups?.admin ?? []),
    reviewer: filled(given.reviewerGroup ?? before?.groups?.reviewer ?? []),
    studio: filled(given.studioGroup ?? before?.groups?.studio ?? []),
  },
  opens: given.openAccounts ?? before?.opens ?? false,
  domains: filled(given.domain ?? before?.domains ?? []),
})

/** Undefined: nothing is said of it. */
async function secretOf(session: Session, { secretFile, secret }: Settings): Promise<string | undefined> {
  if (secret === false) return ''
  if (secretFile === undefined) return undefined
  const found = await (secretFile === '-' ? asked(session) : secretIn(secretFile))
  if (found === '') throw new Failed('The client secret is empty. Use --no-secret for a provider without one.', 2)
  return found
}

const asked = (session: Session): Promise<string> => askSecret(session, 'Client secret (it is not shown):')

export const addProvider: Work<Settings & { issuer: string }> = async (session, [name], options) => {
  const clientSecret = await secretOf(session, { secretFile: '-', ...options })
  const settings = settingsOf(options)
  const added = await (
    await session.connect()
  ).providers.addProvider({ name, issuer: options.issuer, clientSecret, settings })
  const text = `Added: ${name}. Register this address at the provider as redirect URI:\n  <address of the portal>${back(name!)}\nThen: games-lrs providers test ${name}`
  return { json: jsonOf(ProviderSchema, added.provider!), text }
}

export const listProviders: Work<object> = async (session) => {
  const found = await (await session.connect()).providers.listProviders({})
  const rows = found.providers.map(({ name, label, issuer, opens, links, created }) => [
    name,
    label,
    issuer,
    opens ? 'yes' : '',
    String(links),
    time(created),
  ])
  const head = ['name', 'label', 'issuer', 'opens accounts', 'linked', 'since (UTC)']
  return {
    json: jsonOf(ListProvidersResponseSchema, found),
    text: table(head, rows, 'There are no providers: people sign in with passwords.'),
  }
}

export const showProvider: Work<object> = async (session, [name]) => shown(await providerOf(session, name!))

export const setProvider: Work<Settings> = async (session, [name], options) => {
  const before = await providerOf(session, name!)
  const clientSecret = await secretOf(session, options)
  const settings = settingsOf(options, before)
  const { provider } = await (await session.connect()).providers.setProvider({ name, settings, clientSecret })
  return shown(provider!)
}

export const removeProvider: Work<{ yes?: true }> = async (session, [name], options) => {
  const { providers } = await session.connect()
  const { links, stranded } = await providers.removeProvider({ name, preview: true })
  const none = stranded === 0 ? '' : `, ${stranded} of them without any other way to sign in`
  await confirmed(session, options, `Remove ${name}? Accounts that are linked to it: ${links}${none}.`)
  const removed = await providers.removeProvider({ name })
  return {
    json: { name: name!, links: removed.links, stranded: removed.stranded },
    text: `Removed: ${name}. Accounts that were linked to it: ${removed.links}; without any other way to sign in: ${removed.stranded}.`,
  }
}

export const testProvider: Work<object> = async (session, [name]) => {
  const found = await (await session.connect()).providers.testProvider({ name }, { timeoutMs: 30_000 })
  const text = list(found.findings.map(({ good, text }) => [good ? 'ok' : 'wrong', text]))
  const json = jsonOf(TestProviderResponseSchema, found)
  await session.write(`${session.json ? JSON.stringify(json, null, 2) : text}\n`)
  if (found.findings.some(({ good }) => !good)) throw new Failed(`${name} cannot be used like this.`)
}

async function providerOf(session: Session, name: string): Promise<Provider> {
  const { providers } = await (await session.connect()).providers.listProviders({})
  const found = providers.find((one) => one.name === name)
  if (!found) throw new Failed(`There is no provider ${JSON.stringify(name)}: "providers list" shows all.`)
  return found
}

const back = (name: string): string => `/sign-in/with/${name}/back`

function shown(provider: Provider): Shown {
  const { name, label, issuer, clientId, hasSecret, scopes, groupClaim, groups, opens, domains, created, links } =
    provider
  const text = list([
    ['name', name],
    ['label', label],
    ['issuer', issuer],
    ['client id', clientId],
    ['client secret', hasSecret ? 'kept, sealed' : 'none'],
    ['redirect URI', `<address of the portal>${back(name)}`],
    ['scopes', ['openid', ...scopes].join(' ')],
    ['group claim', groupClaim],
    ['admins', groups?.admin.join(', ') ?? ''],
    ['reviewers', groups?.reviewer.join(', ') ?? ''],
    ['studios', groups?.studio.join(', ') ?? ''],
    [
      'unknown people',
      opens ? `get an account${domains.length > 0 ? `, of ${domains.join(', ')}` : ''}` : 'get no account',
    ],
    ['linked accounts', String(links)],
    ['since (UTC)', time(created)],
  ])
  return { json: jsonOf(ProviderSchema, provider), text }
}
