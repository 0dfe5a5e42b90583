import { Command } from 'commander'
import { cells } from './groups/cells.ts'
import { accounts } from './groups/accounts.ts'
import { audit } from './groups/audit.ts'
import { completion } from './groups/completion.ts'
import { forwards } from './groups/forwards.ts'
import { games } from './groups/games.ts'
import { identity } from './groups/identity.ts'
import { learners } from './groups/learners.ts'
import { mail } from './groups/mail.ts'
import { profiles } from './groups/profiles.ts'
import { providers } from './groups/providers.ts'
import { webhooks } from './groups/webhooks.ts'
import { push } from './groups/push.ts'
import { reservations } from './groups/reservations.ts'
import { sandbox } from './groups/sandbox.ts'
import { statements } from './groups/statements.ts'
import { store } from './groups/store.ts'
import { studios } from './groups/studios.ts'
import type { Act } from './session.ts'
import { ownVersion } from './version.ts'

const examples = `
Examples:
  games-lrs profile add live --core https://core.example.org
  games-lrs reviews list
  games-lrs games approve chess --build 4f6c… --note "Plays well"
  games-lrs games list --json | jq '.games[].slug'

Without settings it talks to the core that npm start runs here, with the admin token in data/secrets.json.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage or settings, 3 unreachable or overloaded (try again), 130 interrupted.`

/** The tree of commands: names, options, examples. What they do is loaded when it is asked for. */
export function programOf(act: Act): Command {
  // settings of a command go to those made from it, so they come first
  const program = new Command('games-lrs')
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
  program
    .description('Manages a learning record store for games.')
    .option('--core <url>', 'address of core (default: LRS_CORE_URL, then CORE_URL)')
    .option(
      '--token <token>',
      'service token of the role admin, or a personal token (better: LRS_SERVICE_TOKEN, LRS_TOKEN, or a profile)',
    )
    .option('--token-file <file>', 'file with the token, a personal one for example')
    .option('--profile <name>', 'use the core and token that "profile add" stored')
    .option('--json', 'print JSON, with the field names of the protobuf schema')
    .version(ownVersion(), '--version', 'print the version')
    .addHelpText('after', examples)
  for (const add of [
    studios,
    providers,
    webhooks,
    accounts,
    games,
    push,
    sandbox,
    reservations,
    identity,
    statements,
    forwards,
    learners,
    audit,
    store,
    cells,
    mail,
    profiles,
    completion,
  ])
    add(program, act)
  for (const group of program.commands) group.helpCommand(false)
  program.helpCommand('help [command]', 'show the help of a command')
  return program
}
