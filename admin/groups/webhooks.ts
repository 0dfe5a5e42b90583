import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

const which = ['<webhook>', 'id of the webhook, from "webhooks list"'] as const

export function webhooks(program: Command, act: Act): void {
  const group = program.command('webhooks').description('addresses that are told what happens in a game')
  group
    .command('list')
    .argument('[game]', 'id or slug of the game; without it: webhooks of all games')
    .description('list webhooks with their state')
    .addHelpText('after', examples('webhooks list chess', 'webhooks list --json'))
    .action(act(async () => (await import('../commands/webhooks.ts')).listWebhooks))
  group
    .command('add')
    .argument('<game>', 'id or slug of the game')
    .description('add a webhook and show its secret, once')
    .requiredOption('--url <url>', 'address that is called')
    .requiredOption('--events <types...>', 'types of events, such as review.approved')
    .option('--name <text>', 'for people; without it: the host of the address')
    .option('--verb <iri>', 'only statements with this verb')
    .option('--activity <iri>', 'only statements about this activity')
    .option('--related', 'find the activity anywhere in a statement')
    .option('--since <time>', 'begin with statements stored after this time, ISO 8601')
    .addHelpText(
      'after',
      examples(
        'webhooks add chess --url https://example.org/hooks --events review.approved review.rejected',
        'webhooks add chess --url https://example.org/hooks --events statements.stored --since 2026-01-01T00:00:00Z',
      ),
    )
    .action(act(async () => (await import('../commands/webhooks.ts')).addWebhook))
  group
    .command('show')
    .argument(...which)
    .description('show a webhook with its last deliveries')
    .addHelpText('after', examples('webhooks show 6f1c…'))
    .action(act(async () => (await import('../commands/webhooks.ts')).showWebhook))
  group
    .command('test')
    .argument(...which)
    .description('send a test event')
    .addHelpText('after', examples('webhooks test 6f1c…'))
    .action(act(async () => (await import('../commands/webhooks.ts')).testWebhook))
  group
    .command('rotate')
    .argument(...which)
    .description('make a new secret and show it, once; the old one signs as well for 24 hours')
    .option('--yes', 'do it without a question, if a secret before the old one still signs')
    .addHelpText('after', examples('webhooks rotate 6f1c…', 'webhooks rotate 6f1c… --yes'))
    .action(act(async () => (await import('../commands/webhooks.ts')).rotateWebhook))
  group
    .command('pause')
    .argument(...which)
    .description('stop sending; what happens meanwhile waits')
    .addHelpText('after', examples('webhooks pause 6f1c…'))
    .action(act(async () => (await import('../commands/webhooks.ts')).pauseWebhook))
  group
    .command('resume')
    .argument(...which)
    .description('go on; also with a webhook that was turned off')
    .addHelpText('after', examples('webhooks resume 6f1c…'))
    .action(act(async () => (await import('../commands/webhooks.ts')).resumeWebhook))
  group
    .command('repeat')
    .argument(...which)
    .argument('<delivery>', 'its webhook-id, from "webhooks show"')
    .description('send a delivery once more, with the same webhook-id')
    .addHelpText('after', examples('webhooks repeat 6f1c… msg_0a1b…'))
    .action(act(async () => (await import('../commands/webhooks.ts')).repeatDelivery))
  group
    .command('remove')
    .argument(...which)
    .description('end a webhook, and forget its secret and its deliveries')
    .option('--yes', 'do it without a question')
    .addHelpText('after', examples('webhooks remove 6f1c… --yes'))
    .action(act(async () => (await import('../commands/webhooks.ts')).removeWebhook))
}
