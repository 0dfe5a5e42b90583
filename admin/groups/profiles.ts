import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

export function profiles(program: Command, act: Act): void {
  const group = program
    .command('profile')
    .description('addresses and tokens of cores, under names (~/.config/games-lrs/profiles.json, or LRS_PROFILE)')
  group
    .command('add')
    .argument('<name>', 'name of the profile')
    .description('store --core and a token (--token, LRS_SERVICE_TOKEN, or a line on stdin) under a name')
    .addHelpText(
      'after',
      examples(
        'profile add live --core https://core.example.org',
        'profile add live --core https://core.example.org < token.txt',
      ),
    )
    .action(act(async () => (await import('../commands/profiles.ts')).addProfile))
  group
    .command('use')
    .argument('<name>', 'name of the profile')
    .description('use this profile from now on; "local" is the core that npm start runs here')
    .addHelpText('after', examples('profile use live', 'profile use local'))
    .action(act(async () => (await import('../commands/profiles.ts')).useProfile))
  group
    .command('list')
    .description('list names and addresses; tokens are never shown')
    .addHelpText('after', examples('profile list'))
    .action(act(async () => (await import('../commands/profiles.ts')).listProfiles))
  group
    .command('remove')
    .argument('<name>', 'name of the profile')
    .description('remove a profile')
    .addHelpText('after', examples('profile remove live'))
    .action(act(async () => (await import('../commands/profiles.ts')).removeProfile))
}
