import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

const which = 'number of the profile that you reviewed, as "reviews list" shows it'

export function studios(program: Command, act: Act): void {
  const group = program.command('studios').description('studios, their profiles and their standing')
  group
    .command('list')
    .description('list every studio, by name')
    .addHelpText('after', examples('studios list', "studios list --json | jq -r '.studios[].email'"))
    .action(act(async () => (await import('../commands/studios.ts')).listStudios))
  group
    .command('show')
    .argument('<studio>', 'id, e-mail address or slug')
    .description('show a studio with its members and games')
    .addHelpText('after', examples('studios show blue-fox'))
    .action(act(async () => (await import('../commands/operator.ts')).showStudio))
  group
    .command('suspend')
    .argument('<studio>', 'id, e-mail address or slug')
    .description('let nobody work for a studio, hide its games and refuse their credentials; its data stays')
    .option('--note <text>', 'why: its members read it')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('studios suspend blue-fox --note "The logo is not yours"'))
    .action(act(async () => (await import('../commands/operator.ts')).suspendStudio))
  group
    .command('resume')
    .argument('<studio>', 'id, e-mail address or slug')
    .description('lift the suspension of a studio')
    .addHelpText('after', examples('studios resume blue-fox'))
    .action(act(async () => (await import('../commands/operator.ts')).resumeStudio))
  group
    .command('approve')
    .argument('<studio>', 'slug of the studio')
    .description('accept the changed profile that you reviewed')
    .requiredOption('--changes <number>', which)
    .addHelpText('after', examples('studios approve blue-fox --changes 3'))
    .action(act(async () => (await import('../commands/studios.ts')).approveProfile))
  group
    .command('reject')
    .argument('<studio>', 'slug of the studio')
    .description('reject the changed profile; the accepted one stays public')
    .requiredOption('--changes <number>', which)
    .requiredOption('--note <text>', 'what the studio must change')
    .addHelpText('after', examples('studios reject blue-fox --changes 3 --note "The logo is not yours"'))
    .action(act(async () => (await import('../commands/studios.ts')).rejectProfile))
  group
    .command('trusted')
    .argument('<studio>', 'id, slug, or e-mail address of its owner')
    .description("publish changes of a studio's profile and published games without review; builds are still reviewed")
    .option('--off', 'review them again')
    .addHelpText('after', examples('studios trusted ann@example.org', 'studios trusted ann@example.org --off'))
    .action(act(async () => (await import('../commands/studios.ts')).setTrusted))
}
