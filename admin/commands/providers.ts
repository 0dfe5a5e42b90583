import type { Provider } from '../../gen/lrs/v1/providers_pb.js'
import { askSecret, secretIn } from '../ask-secret.ts'
import { command, type Values } from '../command.ts'
import { confirmed } from '../confirm.ts'
import type { CoreClient } from '../core-client.ts'
import { Failed } from '../failed.ts'
import type { Session } from '../session.ts'
import { list, table, time, type Shown } from '../show.ts'

const which = { '<name>': 'name of the provider' }
/** What `add` and `set` have in common. */
const settings = {
  '--label <text>': 'what the button says after "Continue with"',
  '--client-id <id>': 'what the provider calls this service',
  '--secret-file <file>': 'file with the client secret in its first line; "-": stdin',
  '--no-secret': 'the provider asks for no client secret',
  '--scopes <scopes...>': 'what to ask for beside openid',
  '--group-claim <claim>': 'claim with the groups of a person, such as groups or realm_access.roles',
  '--admin-group <group...>': 'groups whose people are admins; "": none',
  '--reviewer-group <group...>': 'groups whose people review games; "": none',
  '--studio-group <group...>': 'groups whose people may have a studio; others without a role are refused',
  '--open-accounts': 'unknown people with a verified address get an account',
  '--no-open-accounts': 'only people who have linked the provider to their account',
  '--school <name>': 'the school, by its name in addresses, whose teachers new accounts become; "": none',
  '--domain <domain...>': 'unknown people get one only with an address of these domains; "": any',
}

export const commands = {
  add: command({
    about: 'add a provider; the client secret is read from a file or stdin',
    takes: which,
    options: {
      '--issuer <url>': { about: 'address of the provider, exactly as it writes it itself', required: true },
      ...settings,
    },
    examples: [
      'providers add school --issuer https://login.school.example/realms/staff --client-id lrs --label "School" ' +
        '--open-accounts < secret.txt',
      'providers add school … --group-claim groups --reviewer-group teachers --admin-group lrs-admins ' +
        '--secret-file secret.txt',
    ],
    async run({ providers }, { name, issuer, ...options }, session) {
      const clientSecret = await secretOf(session, { secretFile: '-', ...options })
      const { provider } = await providers.addProvider({ name, issuer, clientSecret, settings: settingsOf(options) })
      const address = `<address of the portal>${back(name)}`
      const text = `Added: ${name}. Register this address at the provider as redirect URI:\n  ${address}\nThen: games-lrs providers test ${name}`
      return { json: provider!, text }
    },
  }),
  list: command({
    about: 'list the providers by name',
    examples: ['providers list', 'providers list --json'],
    async run({ providers }) {
      const found = await providers.listProviders({})
      const text = table(found.providers, 'There are no providers: people sign in with passwords.', {
        name: ({ name }) => name,
        label: ({ label }) => label,
        issuer: ({ issuer }) => issuer,
        'opens accounts': ({ opens }) => opens,
        linked: ({ links }) => links,
        'since (UTC)': ({ created }) => time(created),
      })
      return { json: found, text }
    },
  }),
  show: command({
    about: 'show all of a provider but its client secret',
    takes: which,
    examples: ['providers show school'],
    run: async (core, { name }) => shown(await providerOf(core, name)),
  }),
  set: command({
    about: 'change only the options that are given; the issuer cannot change, since links of people depend on it',
    takes: which,
    options: settings,
    examples: ['providers set school --label "Our school"', 'providers set school --secret-file new-secret.txt'],
    async run(core, { name, ...options }, session) {
      const before = await providerOf(core, name)
      const clientSecret = await secretOf(session, options)
      const settings = settingsOf(options, before)
      const { provider } = await core.providers.setProvider({ name, settings, clientSecret })
      return shown(provider!)
    },
  }),
  remove: command({
    about: 'remove a provider, the links of people to it and the roles that it gave them',
    takes: which,
    options: { '--yes': 'do it without a question' },
    examples: ['providers remove school --yes'],
    async run({ providers }, { name, yes }, session) {
      const counted = await providers.removeProvider({ name, preview: true })
      const none = counted.stranded === 0 ? '' : `, ${counted.stranded} of them without any other way to sign in`
      await confirmed(session, yes, `Remove ${name}? Accounts that are linked to it: ${counted.links}${none}.`)
      const { links, stranded } = await providers.removeProvider({ name })
      const text = `Removed: ${name}. Accounts that were linked to it: ${links}; without any other way to sign in: ${stranded}.`
      return { json: { name, links, stranded }, text }
    },
  }),
  test: command({
    about: 'ask the provider for its configuration and keys, and whether it takes our client id and secret',
    takes: which,
    examples: ['providers test school'],
    async run({ providers }, { name }) {
      const found = await providers.testProvider({ name }, { timeoutMs: 30_000 })
      const text = list(found.findings.map(({ good, text }) => [good ? 'ok' : 'wrong', text]))
      const isWrong = found.findings.some(({ good }) => !good)
      return { json: found, text, fault: isWrong ? `${name} cannot be used like this.` : '' }
    },
  }),
}

type Given = Values<typeof settings>

const filled = (values: readonly string[] = []): string[] => values.filter((value) => value !== '')

/** What is given; for the rest, what there is. */
const settingsOf = (given: Given, before?: Provider) => ({
  label: given.label ?? before?.label ?? '',
  clientId: given.clientId ?? before?.clientId ?? '',
  // some write them with spaces between, as the standard does
  scopes: filled((given.scopes ?? before?.scopes ?? ['email', 'profile']).flatMap((scope) => scope.split(' '))),
  groupClaim: given.groupClaim ?? before?.groupClaim ?? '',
  groups: {
    admin: filled(given.adminGroup ?? before?.groups?.admin),
    reviewer: filled(given.reviewerGroup ?? before?.groups?.reviewer),
    studio: filled(given.studioGroup ?? before?.groups?.studio),
  },
  opens: given.openAccounts ?? before?.opens ?? false,
  domains: filled(given.domain ?? before?.domains),
  school: given.school ?? before?.school ?? '',
})

/** Undefined: nothing is said of it. */
async function secretOf(session: Session, { secretFile, secret }: Given): Promise<string | undefined> {
  if (secret === false) return ''
  if (secretFile === undefined) return undefined
  const asked = () => askSecret(session, 'Client secret (it is not shown):')
  const found = await (secretFile === '-' ? asked() : secretIn(secretFile))
  if (found === '') throw new Failed('The client secret is empty. Use --no-secret for a provider without one.', 2)
  return found
}

async function providerOf(core: CoreClient, name: string): Promise<Provider> {
  const { providers } = await core.providers.listProviders({})
  const found = providers.find((one) => one.name === name)
  if (!found) throw new Failed(`There is no provider ${JSON.stringify(name)}: "providers list" shows all.`)
  return found
}

const back = (name: string): string => `/sign-in/with/${name}/back`

function shown(provider: Provider): Shown {
  const { name, label, issuer, clientId, hasSecret, scopes, groupClaim, groups, opens, domains } = provider
  const text = list({
    name,
    label,
    issuer,
    'client id': clientId,
    'client secret': hasSecret ? 'kept, sealed' : 'none',
    'redirect URI': `<address of the portal>${back(name)}`,
    scopes: ['openid', ...scopes].join(' '),
    'group claim': groupClaim,
    admins: groups?.admin.join(', ') ?? '',
    reviewers: groups?.reviewer.join(', ') ?? '',
    studios: groups?.studio.join(', ') ?? '',
    'unknown people': opens
      ? `get an account${domains.length > 0 ? `, of ${domains.join(', ')}` : ''}`
      : 'get no account',
    'teachers of': provider.school,
    'linked accounts': provider.links,
    'since (UTC)': time(provider.created),
  })
  return { json: provider, text }
}
