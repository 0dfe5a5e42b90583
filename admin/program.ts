import type { Command } from 'commander'
import type { Act, Declared } from './command.ts'
import {
  assistant,
  backup,
  completion,
  doctor,
  jobs,
  limits,
  migrate,
  restore,
  sandbox,
  sealSecrets,
  status,
  storage,
} from './commands/single.ts'
import { push } from './commands/push.ts'
import { frameOf } from './frame.ts'
import { launchHours } from '../shared/limits.ts'

/** What a group of commands is about, and where they are: they are loaded when the group is named. */
type Group = readonly [about: string, load: () => Promise<{ commands: Readonly<Record<string, Declared>> }>]

/** All commands, in the order of the help. */
const tree: Readonly<Record<string, Declared | Group>> = {
  studios: ['studios, their profiles and their standing', () => import('./commands/studios.ts')],
  providers: ['OpenID Connect providers with which people sign in', () => import('./commands/providers.ts')],
  lti: ['keys with which learning platforms know this service', () => import('./commands/lti.ts')],
  webhooks: ['call an address when something happens in a game', () => import('./commands/webhooks.ts')],
  accounts: ['accounts of people, who are members of studios', () => import('./commands/accounts.ts')],
  games: ['games of studios, and games without a studio, such as the demo game', () => import('./commands/games.ts')],
  reviews: ['games and profiles that wait for a decision', () => import('./commands/reviews.ts')],
  push,
  sandbox,
  assistant,
  reservations: [
    'reserve activities below an IRI prefix for the games of one studio',
    () => import('./commands/reservations.ts'),
  ],
  credentials: ['keys and secrets of games', () => import('./commands/credentials.ts')],
  tokens: [
    `launch tokens; each is a session of one learner for up to ${launchHours} hours`,
    () => import('./commands/tokens.ts'),
  ],
  statements: ['query, follow, export, import and delete statements', () => import('./commands/statements.ts')],
  forwards: ['send the statements of a game on to other record stores', () => import('./commands/forwards.ts')],
  learners: [
    'learners of a game, and all data about one, for privacy requests',
    () => import('./commands/learners.ts'),
  ],
  rosters: ['classes of a school from a OneRoster file', () => import('./commands/rosters.ts')],
  devices: ['installed copies of games that are linked with learners', () => import('./commands/devices.ts')],
  audit: ['who did what to what, when, from where', () => import('./commands/audit.ts')],
  quotas: ['quotas of a studio', () => import('./commands/quotas.ts')],
  storage,
  jobs,
  limits,
  status,
  doctor,
  'seal-secrets': sealSecrets,
  migrate,
  backup,
  restore,
  cells: [
    'orders of statements in the database: each game is in one, and each stores on its own',
    () => import('./commands/cells.ts'),
  ],
  mail: ['mails that wait, were sent or were given up', () => import('./commands/mail.ts')],
  profile: [
    'addresses and tokens of cores, under names (~/.config/games-lrs/profiles.json, or LRS_PROFILE)',
    () => import('./commands/profiles.ts'),
  ],
  completion,
}

const examples = `
Examples:
  games-lrs profile add live --core https://core.example.org
  games-lrs reviews list
  games-lrs games approve chess --build 4f6c… --note "Plays well"
  games-lrs games list --json | jq '.games[].slug'

Without settings it talks to the core that npm start runs here, with the admin token in data/secrets.json.`

/** The commands: names, options, examples. @param isNamed tells which groups are loaded */
export async function programOf(act: Act, isNamed: (group: string) => boolean): Promise<Command> {
  const program = frameOf('Manages a learning record store for games.', examples)
  for (const [name, one] of Object.entries(tree)) {
    const made = program.command(name)
    if (typeof one === 'function') one(made, act)
    else made.description(one[0])
    if (typeof one === 'function' || !isNamed(name)) continue
    for (const [own, declared] of Object.entries((await one[1]()).commands)) declared(made.command(own), act)
  }
  for (const group of program.commands) group.helpCommand(false)
  program.helpCommand('help [command]', 'show the help of a command')
  return program
}
