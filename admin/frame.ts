import { Command } from 'commander'
import { version } from '../shared/version.ts'

const exits = `
Exit codes: 0 done, 1 refused or failed, 2 wrong usage or settings, 3 unreachable or overloaded (try again), 130 interrupted.`

/** A command line without its commands, with the options that all of them have. */
export const frameOf = (about: string, notes: string): Command =>
  // settings of a command go to those made from it, so they come first
  new Command('games-lrs')
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .description(about)
    .option('--core <url>', 'address of core (default: LRS_CORE_URL, then CORE_URL)')
    .option(
      '--token <token>',
      'service token of the role admin, or a personal token (better: LRS_SERVICE_TOKEN, LRS_TOKEN, or a profile)',
    )
    .option('--token-file <file>', 'file with the token, a personal one for example')
    .option('--profile <name>', 'use the core and token that "profile add" stored')
    .option('--json', 'print JSON, with the field names of the protobuf schema')
    .version(version, '--version', 'print the version')
    .addHelpText('after', notes + exits)
