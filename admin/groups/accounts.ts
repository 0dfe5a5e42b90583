import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

const which = ['<account>', 'e-mail address or id'] as const

/** Accounts of people. */
export function accounts(program: Command, act: Act): void {
  const group =
    program.commands.find((command) => command.name() === 'accounts') ??
    program.command('accounts').description('accounts of people')
  group
    .command('list')
    .argument('[text]', 'a part of the address or name; default: all')
    .description('list accounts with their studios and sessions, 100 at most')
    .addHelpText('after', examples('accounts list', 'accounts list @example.org --json'))
    .action(act(async () => (await import('../commands/operator.ts')).listAccounts))
  group
    .command('admin')
    .argument('<email>', 'e-mail address of the account')
    .description('let an account use the pages of operators')
    .option('--off', 'end that right')
    .addHelpText('after', examples('accounts admin ann@example.org', 'accounts admin ann@example.org --off'))
    .action(act(async () => (await import('../commands/operator.ts')).setAdmin))
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
}
