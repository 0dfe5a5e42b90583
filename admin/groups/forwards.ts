import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

const which = ['<forward>', 'its id, as "forwards list" shows it'] as const

/** Where, which and how: what `add` and `test` have in common. */
const target = (command: Command): Command =>
  command
    .requiredOption('--endpoint <url>', 'xAPI endpoint of the other store, such as https://lrs.example/xapi')
    .option('--xapi <version>', '1.0.3 or 2.0.0', '1.0.3')
    .option('--user <name>', 'user name or key of the other store; without it the secret is a bearer token')
    .option('--secret-file <file>', 'file with the password or token in its first line; "-": stdin')
    .option('--no-secret', 'the other store asks for no credential')

export function forwards(program: Command, act: Act): void {
  const group = program.command('forwards').description('send the statements of a game on to other record stores')
  const work = (name: 'addForward' | 'listForwards' | 'showForward' | 'pauseForward' | 'resumeForward') =>
    act(async () => (await import('../commands/forwards.ts'))[name])
  group
    .command('list')
    .argument('[game]', 'id or slug; default: all games')
    .description('list forwards with what they have sent and how far they are behind')
    .addHelpText('after', examples('forwards list', 'forwards list blue-quiz --json'))
    .action(work('listForwards'))
  target(
    group
      .command('add')
      .argument('<game>', 'id or slug')
      .description('begin to send; the password or token is read from a file or stdin'),
  )
    .option('--name <text>', 'name for people (default: the host)')
    .option('--since <time>', 'send what was stored after this time, too (ISO 8601); default: from now on')
    .option('--verb <iri>', 'only statements with this verb')
    .option('--activity <iri>', 'only statements with this activity')
    .option('--related', 'find the activity anywhere in a statement')
    .option('--sandbox', 'what sandbox sessions send, in place of what learners do')
    .option('--pseudonyms', 'replace learners by pseudonyms; attachments and signatures are left out')
    .option('--bare', 'with pseudonyms: leave out responses and extensions')
    .option('--attachments', 'send the contents of attachments')
    .addHelpText(
      'after',
      examples(
        'forwards add blue-quiz --endpoint https://lrs.school.example/xapi --user key --secret-file secret.txt',
        'forwards add blue-quiz --endpoint … --user key --since 2026-01-01T00:00:00Z --pseudonyms < secret.txt',
      ),
    )
    .action(work('addForward'))
  group
    .command('show')
    .argument(...which)
    .description('show a forward and what its target refused')
    .addHelpText('after', examples('forwards show 0197…'))
    .action(work('showForward'))
  group
    .command('set')
    .argument(...which)
    .description('change the target, its credential, or what is sent from now on; what is not given stays')
    .option('--endpoint <url>', 'another endpoint; it needs the credential again')
    .option('--xapi <version>', '1.0.3 or 2.0.0')
    .option('--user <name>', 'user name or key of the other store; "": the secret is a bearer token')
    .option('--secret-file <file>', 'file with a new password or token in its first line; "-": stdin')
    .option('--name <text>', 'name for people')
    .option('--verb <iri>', 'only statements with this verb; "": all')
    .option('--activity <iri>', 'only statements with this activity; "": all')
    .option('--related', 'find the activity anywhere in a statement')
    .option('--no-related', 'only as the object')
    .option('--pseudonyms', 'replace learners by pseudonyms; attachments and signatures are left out')
    .option('--no-pseudonyms', 'send learners as they are')
    .option('--bare', 'with pseudonyms: leave out responses and extensions')
    .option('--no-bare', 'send responses and extensions')
    .option('--attachments', 'send the contents of attachments')
    .option('--no-attachments', 'send no contents')
    .addHelpText(
      'after',
      examples('forwards set 0197… --verb ""', 'forwards set 0197… --user key --secret-file secret.txt'),
    )
    .action(act(async () => (await import('../commands/forwards.ts')).changeForward))
  group
    .command('pause')
    .argument(...which)
    .description('stop sending')
    .addHelpText('after', examples('forwards pause 0197…'))
    .action(work('pauseForward'))
  group
    .command('resume')
    .argument(...which)
    .description('go on where it stopped')
    .addHelpText('after', examples('forwards resume 0197…'))
    .action(work('resumeForward'))
  group
    .command('send-again')
    .argument(...which)
    .description('send again what was stored after a time; ids stay, so nothing is doubled')
    .requiredOption('--since <time>', 'ISO 8601')
    .addHelpText('after', examples('forwards send-again 0197… --since 2026-01-01T00:00:00Z'))
    .action(act(async () => (await import('../commands/forwards.ts')).sendAgain))
  group
    .command('retry')
    .argument(...which)
    .description('send what the target refused once more')
    .addHelpText('after', examples('forwards retry 0197…'))
    .action(act(async () => (await import('../commands/forwards.ts')).retrySetAside))
  group
    .command('remove')
    .argument(...which)
    .description('end it, and forget its credential and what was refused')
    .option('--yes', 'do it without a question')
    .addHelpText('after', examples('forwards remove 0197…'))
    .action(act(async () => (await import('../commands/forwards.ts')).removeForward))
  target(
    group.command('test').argument('<game>', 'id or slug').description('ask the other store; nothing is stored there'),
  )
    .option('--sandbox', 'as with add')
    .addHelpText('after', examples('forwards test blue-quiz --endpoint https://lrs.example/xapi --user key'))
    .action(act(async () => (await import('../commands/forwards.ts')).testForward))
}
