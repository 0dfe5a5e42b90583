// Commands that are in no group. The help of all commands shows them, so what they do is loaded when they run.
import { localCommand } from '../command.ts'

export const sandbox = localCommand({
  about: 'let a game on this machine report to its sandbox, and show each call',
  takes: {
    '<game>': 'id or slug',
    '[command...]': 'after --: a command to start with the launch context, such as "-- godot4 --path ."',
  },
  options: {
    '--learner <name>': { about: 'the test learner who plays', default: 'Developer' },
    '--file <path>': { about: 'the launch file, which is renewed and removed at the end', default: 'launch.json' },
    '--xapi <url>': 'address of xAPI (default: LRS_XAPI_URL, or the gateway of "npm start" on this machine)',
    '--show <form>': {
      about: 'only print the launch context, as lines for a shell or as the query of a page, and end',
      choices: ['env', 'query'],
    },
  },
  notes: `The game finds the launch context in launch.json. The command after -- also gets it in the environment variables
XAPI_ENDPOINT, XAPI_AUTH, XAPI_ACTOR, XAPI_REGISTRATION, XAPI_ACTIVITY_ID and XAPI_LAUNCH_FILE. A page does not see
them: append what "--show query" prints to its address.`,
  examples: [
    'sandbox chess',
    'sandbox chess -- godot4 --path .',
    'sandbox chess --show query',
    'sandbox chess --json | jq "select(.rejected)"',
  ],
  run: async (...asked) => (await import('./sandbox.ts')).openSandbox(...asked),
})

export const assistant = localCommand({
  about: 'let an assistant on this machine ask about your games, by the Model Context Protocol on stdin and stdout',
  options: { '--portal <url>': 'address of the portal (default: LRS_PORTAL_URL)' },
  notes: 'It needs a personal token with the scope read. No answer has the name of a learner.',
  examples: ['assistant --portal https://portal.example.org'],
  run: async (...asked) => (await import('./assistant.ts')).passOn(...asked),
})

export const storage = localCommand({
  about: 'show what builds and files take, and the largest games',
  examples: ['storage', 'storage --json'],
  run: async (...asked) => (await import('./state.ts')).showStorage(...asked),
})
export const jobs = localCommand({
  about: 'show background jobs of core: sweeps, counts, imports; the last run and its outcome',
  examples: ['jobs', 'jobs --json'],
  run: async (...asked) => (await import('./state.ts')).listJobs(...asked),
})
export const limits = localCommand({
  about: 'list every limit that is enforced',
  examples: ['limits', 'limits --json'],
  run: async (...asked) => (await import('./state.ts')).listLimits(...asked),
})
export const status = localCommand({
  about: 'show versions, sizes, calls and lag',
  examples: ['status', 'status --json | jq -r .lag'],
  run: async (...asked) => (await import('./status.ts')).showStatus(...asked),
})
export const doctor = localCommand({
  about: 'find problems and unsafe settings and say what to do; the exit code is 1 when something does not work',
  examples: ['doctor', 'doctor --profile live --json'],
  run: async (...asked) => (await import('./doctor.ts')).examine(...asked),
})
export const sealSecrets = localCommand({
  about: 'seal every secret in the database with the first key of LRS_SECRET_KEYS and say how many',
  examples: ['seal-secrets'],
  run: async (...asked) => (await import('./state.ts')).sealSecrets(...asked),
})

export const migrate = localCommand({
  about: 'migrate the schema of DATABASE_URL, or of the database of npm start, to this version',
  examples: ['migrate'],
  run: async (...asked) => (await import('./migrate.ts')).migrate(...asked),
})
export const backup = localCommand({
  about: 'copy the stopped store of npm start: database, storage and secrets',
  takes: { '[file]': 'archive to write (default: a name with the time)' },
  options: { '--force': 'overwrite the file' },
  examples: ['backup', 'backup /backup/games-lrs.tar.gz --force'],
  run: async (...asked) => (await import('./backup.ts')).backup(...asked),
})
export const restore = localCommand({
  about: 'restore a backup into the data folder of npm start',
  takes: { '<file>': 'the backup' },
  options: { '--force': 'restore even if there is data; the old data is moved aside' },
  examples: ['restore games-lrs-2026-11-21T0930.tar.gz', 'restore games-lrs-2026-11-21T0930.tar.gz --force'],
  run: async (...asked) => (await import('./restore.ts')).restore(...asked),
})
export const completion = localCommand({
  about: 'print the completion script of bash or zsh',
  takes: { '<shell>': { about: 'bash or zsh', choices: ['bash', 'zsh'] } },
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/games-lrs',
    'completion zsh > ~/.zfunc/_games-lrs',
  ],
  run: async (...asked) => (await import('./completion.ts')).printCompletion(...asked),
})
