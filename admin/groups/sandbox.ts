import { Option, type Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

export function sandbox(program: Command, act: Act): void {
  program
    .command('sandbox')
    .argument('<game>', 'id or slug')
    .argument('[command...]', 'after --: a command to start with the launch context, such as "-- npm run dev"')
    .description('let a game on this machine report to its sandbox, and show each call')
    .option('--learner <name>', 'the test learner who plays', 'Developer')
    .option('--file <path>', 'the launch file, which is renewed and removed at the end', 'launch.json')
    .option('--xapi <url>', 'address of xAPI (default: LRS_XAPI_URL, or that of npm start here)')
    .addOption(
      new Option('--show <form>', 'only print the launch context, as lines for a shell or as a query, and end').choices(
        ['env', 'query'],
      ),
    )
    .addHelpText(
      'after',
      `\nThe game finds the launch context in launch.json, or in XAPI_ENDPOINT, XAPI_AUTH, XAPI_ACTOR,\nXAPI_REGISTRATION, XAPI_ACTIVITY_ID and XAPI_LAUNCH_FILE, which the command after -- gets.\n${examples(
        'sandbox chess',
        'sandbox chess -- npm run dev',
        'sandbox chess --show query',
        'sandbox chess --json | jq "select(.rejected)"',
      )}`,
    )
    .action(act(async () => (await import('../commands/sandbox.ts')).openSandbox))
}
