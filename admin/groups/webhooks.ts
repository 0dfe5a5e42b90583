import type { Command } from 'commander'
import { webhookEvents } from '../../shared/webhook-events.ts'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

const which = ['<webhook>', 'id of the webhook, from "webhooks list"'] as const

export function webhooks(program: Command, act: Act): void {
  const group = program.command('webhooks').description('call an address when something happens in a game')
  group
    .command('list')
    .argument('[game]', 'id or slug; default: all games')
    .description('list webhooks with their state')
    .addHelpText('after', examples('webhooks list chess', 'webhooks list --json'))
    .action(act(async () => (await import('../commands/webhooks.ts')).listWebhooks))
  group
    .command('add')
    .argument('<game>', 'id or slug of the game')
    .description('add a webhook and show its secret, once')
    .requiredOption('--url <url>', 'address that is called')
    .requiredOption(
      '--events <types...>',
      `types of events, with spaces between: ${Object.keys(webhookEvents).join(', ')}`,
    )
    .option('--name <text>', 'name for people (default: the host)')
    .option('--verb <iri>', 'statements.stored: only statements with this verb')
    .option('--activity <iri>', 'statements.stored: only statements about this activity')
    .option('--related', 'with --activity: find it anywhere in a statement')
    .option('--since <time>', 'begin with statements stored after this time, as 2026-01-01T00:00:00Z; default: now')
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
    .command('set')
    .argument(...which)
    .description('change the address or the events from now on; settings without an option stay')
    .option('--url <url>', 'another address')
    .option('--events <types...>', 'all types of events from now on, with spaces between')
    .option('--name <text>', 'name for people')
    .option('--verb <iri>', 'statements.stored: only statements with this verb; "": all')
    .option('--activity <iri>', 'statements.stored: only statements about this activity; "": all')
    .option('--related', 'find the activity anywhere in a statement')
    .option('--no-related', 'only as the object')
    .addHelpText(
      'after',
      examples('webhooks set 6f1c… --url https://example.org/new', 'webhooks set 6f1c… --events review.approved'),
    )
    .action(act(async () => (await import('../commands/webhooks.ts')).changeWebhook))
  group
    .command('delivery')
    .argument(...which)
    .argument('<delivery>', 'its webhook-id, from "webhooks show"')
    .description('show a delivery with its body')
    .addHelpText('after', examples('webhooks delivery 6f1c… msg_0a1b…'))
    .action(act(async () => (await import('../commands/webhooks.ts')).showDelivery))
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
    .description('go on after a pause, or after the webhook was turned off')
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
