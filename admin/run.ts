import { Command, CommanderError } from 'commander'
import { SettingError, type Env } from '../start/settings.ts'
import { readConfig } from './config.ts'
import type { CoreClient } from './core-client.ts'
import type { Shown } from './show.ts'

/** Runs one command line; returns the exit code: 0 done, 1 refused or failed, 2 wrong usage or settings. */
export async function run(args: readonly string[], env: Env): Promise<0 | 1 | 2> {
  let code: 0 | 1 | 2 = 0

  /** What a command does with core. What costs time to load is loaded when it is needed: help comes at once. */
  const act = (work: (core: CoreClient, command: Command) => Promise<Shown>) => async (...given: unknown[]) => {
    const command = given.at(-1) as Command
    const { core, token, json } = command.optsWithGlobals<{ core?: string; token?: string; json?: boolean }>()
    const config = readConfig({ core, token }, env)
    const [{ coreClient }, { lineOf }, { ConnectError }] = await Promise.all([import('./core-client.ts'), import('./failure.ts'), import('@connectrpc/connect')])
    try {
      const shown = await work(coreClient(config), command)
      process.stdout.write(`${json ? JSON.stringify(shown.json, null, 2) : shown.text}\n`)
    } catch (error) {
      process.stderr.write(`${error instanceof ConnectError ? lineOf(error, config.coreUrl) : (error as Error).message}\n`)
      code = 1
    }
  }

  try {
    await programOf(act).parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!(error instanceof SettingError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 2
  }
}

type Act = (work: (core: CoreClient, command: Command) => Promise<Shown>) => (...given: unknown[]) => Promise<void>

const examples = `
Examples:
  npm run admin -- reviews list
  npm run admin -- games show chess
  npm run admin -- games approve chess --build 4f6c… --note "Plays well"
  npm run admin -- games reject chess --build 4f6c… --note "There is no sound on level 2"
  npm run admin -- studios reviewer ann@example.org
  npm run -s admin -- games list --json

Without settings it talks to the core that npm start runs here, with the admin token in data/secrets.json.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage.`

function programOf(act: Act): Command {
  // settings of a command go to those made from it, so they come first
  const program = new Command('admin').exitOverride().showHelpAfterError('(--help shows how)').configureHelp({ showGlobalOptions: true }).helpCommand(false)
  program
    .description('Looks after the games and studios of a learning record store.')
    .option('--core <url>', 'where core is (else LRS_CORE_URL, CORE_URL)')
    .option('--token <token>', 'service token of the role admin (better: LRS_SERVICE_TOKEN)')
    .option('--json', 'answer as JSON, by the names of the contract')
    .addHelpText('after', examples)

  const games = program.command('games').description('games of all studios')
  games.command('list').description('every game, the last changed first').action(act(async (core) => (await import('./commands/games.ts')).listGames(core)))
  games.command('show <game>').description('one game with its builds and reviews').action(act(async (core, { args }) => (await import('./commands/games.ts')).showGame(core, args[0]!)))
  games
    .command('approve <game>').description('publish the build that was looked at')
    .requiredOption('--build <id>', 'which build that was: "reviews list" shows it').option('--note <text>', 'for the studio')
    .action(act(async (core, command) => (await import('./commands/games.ts')).decide(core, command.args[0]!, true, command.opts())))
  games
    .command('reject <game>').description('send the build back')
    .requiredOption('--build <id>', 'which build that was: "reviews list" shows it').requiredOption('--note <text>', 'what the studio has to mend')
    .action(act(async (core, command) => (await import('./commands/games.ts')).decide(core, command.args[0]!, false, command.opts())))
  games
    .command('withdraw <game>').description('take a game from the public, or back from review')
    .action(act(async (core, { args }) => (await import('./commands/games.ts')).withdrawGame(core, args[0]!)))
  for (const command of games.commands.slice(1)) command.addHelpText('after', '\nA game is named by its id or by its slug, its name in addresses.')

  const reviews = program.command('reviews').description('what waits for a decision')
  reviews.command('list').description('the oldest first').action(act(async (core) => (await import('./commands/reviews.ts')).listReviews(core)))

  const studios = program.command('studios').description('accounts of studios')
  studios.command('list').description('every studio, by name').action(act(async (core) => (await import('./commands/studios.ts')).listStudios(core)))
  studios
    .command('reviewer <email>').description('let an account review games of others').option('--off', 'not any more')
    .action(act(async (core, command) => (await import('./commands/studios.ts')).setReviewer(core, command.args[0]!, !command.opts()['off'])))
  studios
    .command('reset-password <email>').description('make a new password, show it once and end the sessions of the account')
    .action(act(async (core, { args }) => (await import('./commands/studios.ts')).resetPassword(core, args[0]!)))
  for (const group of [games, reviews, studios]) group.helpCommand(false)
  return program
}
