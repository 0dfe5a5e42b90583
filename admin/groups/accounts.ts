import { Option, type Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

const which = ['<account>', 'e-mail address or id'] as const

export function accounts(program: Command, act: Act): void {
  const group = program.command('accounts').description('accounts of people, who are members of studios')
  group
    .command('list')
    .description('list the accounts by e-mail address, 1,000 at most')
    .addHelpText('after', examples('accounts list', "accounts list --json | jq -r '.accounts[].email'"))
    .action(act(async () => (await import('../commands/accounts.ts')).listAccounts))
  group
    .command('show')
    .argument('<email>', 'e-mail address of the account')
    .description('show an account: its studios with its roles, rights and sessions')
    .addHelpText('after', examples('accounts show ann@example.org'))
    .action(act(async () => (await import('../commands/accounts.ts')).showAccount))
  group
    .command('allow')
    .argument('<email>', 'e-mail address of the account')
    .description('set how many studios an account may own')
    .addOption(new Option('--studios <number>', 'studios that it may own, 1 to 1000').makeOptionMandatory())
    .addHelpText('after', examples('accounts allow ann@example.org --studios 2'))
    .action(act(async () => (await import('../commands/accounts.ts')).allowStudios))
  group
    .command('admin')
    .argument('<email>', 'e-mail address of the account')
    .description('let an account use the pages of operators')
    .option('--off', 'end that right')
    .addHelpText('after', examples('accounts admin ann@example.org', 'accounts admin ann@example.org --off'))
    .action(act(async () => (await import('../commands/operator.ts')).setAdmin))
  group
    .command('reviewer')
    .argument('<email>', 'e-mail address of the account')
    .description('let an account review games of other studios')
    .option('--off', 'end that right')
    .addHelpText('after', examples('accounts reviewer ann@example.org', 'accounts reviewer ann@example.org --off'))
    .action(act(async () => (await import('../commands/accounts.ts')).setReviewer))
  group
    .command('reset-password')
    .argument('<email>', 'e-mail address of the account')
    .description('set a new password, show it once and end all sessions of the account')
    .addHelpText('after', examples('accounts reset-password ann@example.org'))
    .action(act(async () => (await import('../commands/accounts.ts')).resetPassword))
  group
    .command('suspend')
    .argument(...which)
    .description('end the sessions of an account and let nobody sign in to it')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('accounts suspend ann@example.org'))
    .action(act(async () => (await import('../commands/operator.ts')).suspendAccount))
  group
    .command('resume')
    .argument(...which)
    .description('lift the suspension of an account')
    .addHelpText('after', examples('accounts resume ann@example.org'))
    .action(act(async () => (await import('../commands/operator.ts')).resumeAccount))
  group
    .command('end-sessions')
    .argument(...which)
    .description('sign an account out everywhere')
    .addHelpText('after', examples('accounts end-sessions ann@example.org'))
    .action(act(async () => (await import('../commands/operator.ts')).endSessions))
  group
    .command('reset-second-factor')
    .argument('<email>', 'e-mail address of the account')
    .description('remove app, passkeys and recovery codes of an account and end its sessions')
    .addHelpText('after', examples('accounts reset-second-factor ann@example.org'))
    .action(act(async () => (await import('../commands/accounts.ts')).resetSecondFactor))
}
