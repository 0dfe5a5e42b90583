import { Option, type Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

export function push(program: Command, act: Act): void {
  program
    .command('push')
    .argument('<path>', 'folder with index.html, a zip, or a package to download')
    .argument('<game>', 'id or slug (the name in URLs)')
    .description('bring a build to a channel of a game, if it changed; needs a personal token with the scope upload')
    .addOption(
      new Option('--channel <name>', 'live: a draft for the next review; beta: for members of the studio, at once')
        .choices(['live', 'beta'])
        .default('live'),
    )
    .option('--label <version>', 'what people call this build, such as a tag')
    .option('--notes <text>', 'what is new')
    .option('--submit', 'submit it for review')
    .option('--message <text>', 'for the reviewer, with --submit')
    .option('--desktop', 'the file is a package to download')
    .option(
      '--portal <url>',
      'address of the portal, which takes the file unless the storage is S3 (default: LRS_PORTAL_URL)',
    )
    .addHelpText(
      'after',
      `\nThe same files give the same package: if the channel has it, nothing is uploaded, and the exit code is 0.\nAn upload that was cut off is continued when the same push runs again.\n${examples(
        'push ./dist chess --channel beta',
        'push ./dist chess --label "$(git describe --tags)" --notes "Level 3 is new" --submit',
        'push ./dist chess --json | jq -r .outcome',
      )}`,
    )
    .action(act(async () => (await import('../commands/push.ts')).push))
}
