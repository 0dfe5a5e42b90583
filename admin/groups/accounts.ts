import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

export function accounts(program: Command, act: Act): void {
  const group = program.command('accounts').description('accounts of people')
  group
    .command('reset-second-factor')
    .argument('<email>', 'e-mail address of the account')
    .description('remove app, passkeys and recovery codes of an account and end its sessions')
    .addHelpText('after', examples('accounts reset-second-factor ann@example.org'))
    .action(act(async () => (await import('../commands/accounts.ts')).resetSecondFactor))
}
