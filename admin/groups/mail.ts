import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

export function mail(program: Command, act: Act): void {
  const group = program.command('mail').description('mails that wait, were sent or were given up')
  group
    .command('list')
    .description('list the newest 500 mails, without their contents')
    .option('--waiting', 'only those that wait')
    .option('--given-up', 'only those that were given up')
    .addHelpText('after', examples('mail list', 'mail list --given-up --json | jq -r ".mails[].failure"'))
    .action(act(async () => (await import('../commands/mail.ts')).listMails))
  group
    .command('retry')
    .argument('[mail]', 'id, as "mail list" shows them; default: every mail that was not sent')
    .description('try to send a mail again at once, or all that were not sent')
    .addHelpText('after', examples('mail retry', 'mail retry 5f0c9c1e-6c55-4a3c-9d4e-0b8a86a3a1b7'))
    .action(act(async () => (await import('../commands/mail.ts')).retryMails))
}
