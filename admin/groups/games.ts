import type { Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

const named = '\nA game is named by its id or by its slug, its name in addresses.'
const which = 'which build that was: "reviews list" shows it'
const page = 'number of the page that you looked at ("reviews list" shows it), if it changed after it was submitted'

export function games(program: Command, act: Act): void {
  const group = program.command('games').description('every game: of studios, and those without one, such as the demo game')
  group
    .command('list').description('every game with its credential, the last changed first')
    .addHelpText('after', examples('games list', "games list --json | jq '.games[] | select(.state == \"GAME_STATE_PUBLISHED\").slug'"))
    .action(act(async () => (await import('../commands/games.ts')).listGames))
  group
    .command('show').argument('<game>').description('one game with its builds and reviews')
    .addHelpText('after', `${named}\n${examples('games show chess')}`)
    .action(act(async () => (await import('../commands/games.ts')).showGame))
  group
    .command('create').argument('<name>', 'what people call it').description('add a game without a studio; "credentials issue" lets it report')
    .addHelpText('after', examples('games create "Chess club"'))
    .action(act(async () => (await import('../commands/games.ts')).createGame))
  group
    .command('approve').argument('<game>').description('publish the build, texts and files that you looked at')
    .requiredOption('--build <id>', which).option('--page <number>', page).option('--note <text>', 'for the studio')
    .addHelpText('after', `${named}\n${examples('games approve chess --build 4f6c1c1e-… --note "Plays well"')}`)
    .action(act(async () => (await import('../commands/review-game.ts')).approve))
  group
    .command('reject').argument('<game>').description('send the build back')
    .requiredOption('--build <id>', which).option('--page <number>', page).requiredOption('--note <text>', 'what the studio has to mend')
    .addHelpText('after', `${named}\n${examples('games reject chess --build 4f6c1c1e-… --note "There is no sound on level 2"')}`)
    .action(act(async () => (await import('../commands/review-game.ts')).reject))
  group
    .command('withdraw').argument('<game>').description('take a game from the public, or back from review')
    .addHelpText('after', `${named}\n${examples('games withdraw chess')}`)
    .action(act(async () => (await import('../commands/games.ts')).withdrawGame))

  group
    .command('quota').argument('<game>').argument('<limit>', 'bytes such as 40GB, or "none"')
    .description('limit the bytes that a game stores: statements, attachments and documents')
    .addHelpText('after', `${named}\n${examples('games quota chess 40GB', 'games quota chess none')}`)
    .action(act(async () => (await import('../commands/quotas.ts')).setGameQuota))

  const reviews = program.command('reviews').description('what waits for a decision')
  reviews
    .command('list').description('the oldest first').addHelpText('after', examples('reviews list'))
    .action(act(async () => (await import('../commands/reviews.ts')).listReviews))
}
