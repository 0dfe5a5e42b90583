import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

const which = 'number of the profile that you looked at: "reviews list" shows it'

export function studios(program: Command, act: Act): void {
  const group = program.command('studios').description('accounts of studios')
  group
    .command('list').description('every studio, by name')
    .addHelpText('after', examples('studios list', "studios list --json | jq -r '.studios[].email'"))
    .action(act(async () => (await import('../commands/studios.ts')).listStudios))
  group
    .command('reviewer').argument('<email>').description('let an account review games of others').option('--off', 'not any more')
    .addHelpText('after', examples('studios reviewer ann@example.org', 'studios reviewer ann@example.org --off'))
    .action(act(async () => (await import('../commands/studios.ts')).setReviewer))
  group
    .command('approve').argument('<studio>', 'its name in addresses').description('accept the changed profile that you looked at')
    .requiredOption('--changes <number>', which)
    .addHelpText('after', examples('studios approve blue-fox --changes 3'))
    .action(act(async () => (await import('../commands/studios.ts')).approveProfile))
  group
    .command('reject').argument('<studio>', 'its name in addresses').description('keep the accepted profile')
    .requiredOption('--changes <number>', which).requiredOption('--note <text>', 'what the studio has to mend')
    .addHelpText('after', examples('studios reject blue-fox --changes 3 --note "The logo is not yours"'))
    .action(act(async () => (await import('../commands/studios.ts')).rejectProfile))
  group
    .command('trusted').argument('<email>').description("publish changes of a studio's profile and published games without review; builds are still reviewed")
    .option('--off', 'review them again')
    .addHelpText('after', examples('studios trusted ann@example.org', 'studios trusted ann@example.org --off'))
    .action(act(async () => (await import('../commands/studios.ts')).setTrusted))
  group
    .command('reset-password').argument('<email>').description('make a new password, show it once and end the sessions of the account')
    .addHelpText('after', examples('studios reset-password ann@example.org'))
    .action(act(async () => (await import('../commands/studios.ts')).resetPassword))
}
