import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

const which = ['<name>', 'name of the provider'] as const

/** What `add` and `set` have in common. */
const settings = (command: Command): Command =>
  command
    .option('--label <text>', 'what the button says after "Continue with"')
    .option('--client-id <id>', 'what the provider calls this service')
    .option('--secret-file <file>', 'file with the client secret in its first line; "-": stdin')
    .option('--no-secret', 'the provider asks for no client secret')
    .option('--scopes <scopes...>', 'what to ask for beside openid')
    .option('--group-claim <claim>', 'claim with the groups of a person, such as groups or realm_access.roles')
    .option('--admin-group <group...>', 'groups whose people are admins; "": none')
    .option('--reviewer-group <group...>', 'groups whose people review games; "": none')
    .option('--studio-group <group...>', 'groups whose people may have a studio; others without a role are refused')
    .option('--open-accounts', 'unknown people with a verified address get an account')
    .option('--no-open-accounts', 'only people who have linked the provider to their account')
    .option('--domain <domain...>', 'unknown people get one only with an address of these domains; "": any')

export function providers(program: Command, act: Act): void {
  const group = program.command('providers').description('OpenID Connect providers with which people sign in')
  settings(
    group
      .command('add')
      .argument(...which)
      .description('add a provider; the client secret is read from a file or stdin')
      .requiredOption('--issuer <url>', 'address of the provider, exactly as it writes it itself'),
  )
    .addHelpText(
      'after',
      examples(
        'providers add school --issuer https://login.school.example/realms/staff --client-id lrs --label "School" ' +
          '--open-accounts < secret.txt',
        'providers add school … --group-claim groups --reviewer-group teachers --admin-group lrs-admins ' +
          '--secret-file secret.txt',
      ),
    )
    .action(act(async () => (await import('../commands/providers.ts')).addProvider))
  group
    .command('list')
    .description('list the providers by name')
    .addHelpText('after', examples('providers list', 'providers list --json'))
    .action(act(async () => (await import('../commands/providers.ts')).listProviders))
  group
    .command('show')
    .argument(...which)
    .description('show all of a provider but its client secret')
    .addHelpText('after', examples('providers show school'))
    .action(act(async () => (await import('../commands/providers.ts')).showProvider))
  settings(
    group
      .command('set')
      .argument(...which)
      .description(
        'change only the options that are given; the issuer cannot change, since links of people depend on it',
      ),
  )
    .addHelpText(
      'after',
      examples('providers set school --label "Our school"', 'providers set school --secret-file new-secret.txt'),
    )
    .action(act(async () => (await import('../commands/providers.ts')).setProvider))
  group
    .command('remove')
    .argument(...which)
    .description('remove a provider, the links of people to it and the roles that it gave them')
    .option('--yes', 'do it without a question')
    .addHelpText('after', examples('providers remove school --yes'))
    .action(act(async () => (await import('../commands/providers.ts')).removeProvider))
  group
    .command('test')
    .argument(...which)
    .description('ask the provider for its configuration and keys, and whether it takes our client id and secret')
    .addHelpText('after', examples('providers test school'))
    .action(act(async () => (await import('../commands/providers.ts')).testProvider))
}
