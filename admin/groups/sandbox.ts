import { Option, type Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

export function sandbox(program: Command, act: Act): void {
  program
    .command('sandbox')
    .argument('<game>', 'id or slug')
    .argument('[command...]', 'after --: a command to start with the launch context, such as "-- godot4 --path ."')
    .description('let a game on this machine report to its sandbox, and show each call')
    .option('--learner <name>', 'the test learner who plays', 'Developer')
    .option('--file <path>', 'the launch file, which is renewed and removed at the end', 'launch.json')
    .option('--xapi <url>', 'address of xAPI (default: LRS_XAPI_URL, or the gateway of "npm start" on this machine)')
    .addOption(
      new Option(
        '--show <form>',
        'only print the launch context, as lines for a shell or as the query of a page, and end',
      ).choices(['env', 'query']),
    )
    .addHelpText(
      'after',
      `\nThe game finds the launch context in launch.json. The command after -- also gets it in the environment variables\nXAPI_ENDPOINT, XAPI_AUTH, XAPI_ACTOR, XAPI_REGISTRATION, XAPI_ACTIVITY_ID and XAPI_LAUNCH_FILE. A page does not see\nthem: append what "--show query" prints to its address.\n${examples(
        'sandbox chess',
        'sandbox chess -- godot4 --path .',
        'sandbox chess --show query',
        'sandbox chess --json | jq "select(.rejected)"',
      )}`,
    )
    .action(act(async () => (await import('../commands/sandbox.ts')).openSandbox))
}
