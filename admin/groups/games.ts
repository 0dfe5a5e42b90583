import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

const named = 'id or slug (the name in URLs)'
const which = 'id of the build that you reviewed, as "reviews list" shows it; its first 8 characters are enough'
const page =
  'number of the page that you reviewed, as "reviews list" shows it; needed if the page changed after it was submitted'

export function games(program: Command, act: Act): void {
  const group = program
    .command('games')
    .description('games of studios, and games without a studio, such as the demo game')
  group
    .command('list')
    .description('list every game with its credential, the last changed first')
    .addHelpText(
      'after',
      examples('games list', 'games list --json | jq \'.games[] | select(.state == "GAME_STATE_PUBLISHED").slug\''),
    )
    .action(act(async () => (await import('../commands/games.ts')).listGames))
  group
    .command('show')
    .argument('<game>', named)
    .description('show a game with its builds and reviews')
    .addHelpText('after', examples('games show chess'))
    .action(act(async () => (await import('../commands/games.ts')).showGame))
  group
    .command('create')
    .argument('<name>', 'name that people see')
    .description(
      'add a game: to your studio with a personal token, else without a studio ("credentials issue" gives it access)',
    )
    .addHelpText('after', examples('games create "Chess club"'))
    .action(act(async () => (await import('../commands/games.ts')).createGame))
  group
    .command('approve')
    .argument('<game>', named)
    .description('publish the build, texts and files that you reviewed')
    .requiredOption('--build <id>', which)
    .option('--page <number>', page)
    .option('--note <text>', 'for the studio')
    .addHelpText('after', examples('games approve chess --build 4f6c1c1e --note "Plays well"'))
    .action(act(async () => (await import('../commands/review-game.ts')).approve))
  group
    .command('reject')
    .argument('<game>', named)
    .description('reject the build')
    .requiredOption('--build <id>', which)
    .option('--page <number>', page)
    .requiredOption('--note <text>', 'what the studio must change')
    .addHelpText('after', examples('games reject chess --build 4f6c1c1e --note "There is no sound on level 2"'))
    .action(act(async () => (await import('../commands/review-game.ts')).reject))
  group
    .command('upload')
    .argument('<game>', named)
    .argument('<file>', 'zip for the browser, or a package to download')
    .description('upload a build and save it as a draft; needs a personal token')
    .option('--desktop', 'the file is a package to download')
    .option(
      '--portal <url>',
      'address of the portal, which takes the file unless the storage is S3 (default: LRS_PORTAL_URL)',
    )
    .addHelpText('after', examples('games upload chess dist.zip --portal https://games.example.org'))
    .action(act(async () => (await import('../commands/upload-build.ts')).uploadBuild))
  group
    .command('submit')
    .argument('<game>', named)
    .description('submit the draft for review; needs a personal token')
    .option('--message <text>', 'for the reviewer')
    .addHelpText('after', examples('games submit chess --message "Level 3 is new"'))
    .action(act(async () => (await import('../commands/upload-build.ts')).submitGame))
  group
    .command('promote')
    .argument('<game>', named)
    .description('submit the beta build for review, without a second upload; needs a personal token')
    .option('--message <text>', 'for the reviewer')
    .addHelpText('after', examples('games promote chess --message "Played by the team for a week"'))
    .action(act(async () => (await import('../commands/channels.ts')).promoteBuild))
  group
    .command('rollback')
    .argument('<game>', named)
    .option(
      '--to <build>',
      'a kept build: its number, version, or the first 8 characters of its id (default: the last)',
    )
    .description('make a replaced build live again, at once; needs a personal token with the scope games')
    .addHelpText('after', examples('games rollback chess', 'games rollback chess --to v1.1'))
    .action(act(async () => (await import('../commands/channels.ts')).rollBackGame))
  group
    .command('beta-link')
    .argument('<game>', named)
    .option('--end', 'end the link and its sessions')
    .option('--portal <url>', 'address of the portal, to print the whole link (default: LRS_PORTAL_URL)')
    .description(
      'make the link by which people who are no members play the beta, in place of the one before; needs a personal ' +
        'token with the scope games',
    )
    .addHelpText('after', examples('games beta-link chess', 'games beta-link chess --end'))
    .action(act(async () => (await import('../commands/channels.ts')).setBetaLink))
  group
    .command('player')
    .argument('<game>', named)
    .option('--isolated', 'isolate it from other origins, so that it may use threads')
    .option('--no-isolated', 'do not isolate it')
    .option('--orientation <how>', 'how a phone is held: any, landscape, portrait')
    .option(
      '--embed <origin...>',
      'origins of all pages that may show it in a frame, such as https://school.example; replaces the list',
    )
    .option('--no-embed', 'no page may show it in a frame')
    .description('set how the player shows a game (needs a personal token); without options, show the settings')
    .addHelpText(
      'after',
      examples(
        'games player chess --isolated',
        'games player chess --orientation landscape',
        'games player chess --embed https://school.example https://www.school.example',
      ),
    )
    .action(act(async () => (await import('../commands/game-player.ts')).gamePlayer))
  group
    .command('withdraw')
    .argument('<game>', named)
    .description('withdraw a game from the public, or from review')
    .addHelpText('after', examples('games withdraw chess'))
    .action(act(async () => (await import('../commands/games.ts')).withdrawGame))

  group
    .command('quota')
    .argument('<game>', named)
    .argument('<limit>', 'bytes such as 40GB, or "none"')
    .description('limit the bytes that a game stores: statements, attachments and documents')
    .addHelpText('after', examples('games quota chess 40GB', 'games quota chess none'))
    .action(act(async () => (await import('../commands/quotas.ts')).setGameQuota))

  const months = 'months, or "forever"'
  group
    .command('retention')
    .argument('<game>', named)
    .option('--statements <months>', `how long statements of learners are kept: ${months}`)
    .option('--learners <months>', `how long learners are kept who were not seen: ${months}`)
    .option('--sandbox <months>', `how long data of the sandbox is kept: ${months}`)
    .option('--preview', 'count what would go, change nothing')
    .option('--yes', 'do not ask')
    .description('show or set how long data of a game is kept; without options: show it, with receipts')
    .addHelpText('after', examples('games retention chess', 'games retention chess --statements 24 --preview'))
    .action(act(async () => (await import('../commands/retention.ts')).retention))

  const reviews = program.command('reviews').description('games and profiles that wait for a decision')
  reviews
    .command('list')
    .description('list them, the oldest first')
    .addHelpText('after', examples('reviews list'))
    .action(act(async () => (await import('../commands/reviews.ts')).listReviews))
}
