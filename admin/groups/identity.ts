import { Option, type Command } from 'commander'
import { launchHours } from '../../shared/limits.ts'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

export const scopes = [
  'statements/write',
  'statements/read/mine',
  'statements/read',
  'state',
  'define',
  'profile',
  'all/read',
  'all',
]

export function identity(program: Command, act: Act): void {
  const credentials = program.command('credentials').description('keys and secrets of games')
  credentials
    .command('issue')
    .argument('<game>', 'id or slug')
    .description('create a credential for a game and show its secret once')
    .addOption(new Option('--scope <scope...>', 'what it may do (default: what a game needs)').choices(scopes))
    .addHelpText('after', examples('credentials issue chess', 'credentials issue chess --scope statements/read'))
    .action(act(async () => (await import('../commands/credentials.ts')).issueCredential))
  credentials
    .command('list')
    .argument('<game>', 'id or slug')
    .description('list the credentials of a game, including revoked ones')
    .addHelpText('after', examples('credentials list chess'))
    .action(act(async () => (await import('../commands/credentials.ts')).listCredentials))
  credentials
    .command('scopes')
    .argument('<key>', 'key of the credential')
    .description('change what a credential may do')
    .addOption(
      new Option('--scope <scope...>', 'everything that it may do (default: what a game needs)').choices(scopes),
    )
    .addHelpText(
      'after',
      examples('credentials scopes 5f1e0c… --scope statements/write statements/read', 'credentials scopes 5f1e0c…'),
    )
    .action(act(async () => (await import('../commands/credentials.ts')).setScopes))
  credentials
    .command('rotate')
    .argument('<key>', 'key of the credential')
    .description('create a new secret and show it once; the old one ends now, launch tokens stay valid')
    .addHelpText('after', examples('credentials rotate 5f1e0c…'))
    .action(act(async () => (await import('../commands/credentials.ts')).rotateCredential))
  credentials
    .command('revoke')
    .argument('<key>', 'key of the credential')
    .description('end a credential and its launch tokens for good')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('credentials revoke 5f1e0c…', 'credentials revoke 5f1e0c… --yes'))
    .action(act(async () => (await import('../commands/credentials.ts')).revokeCredential))

  const tokens = program
    .command('tokens')
    .description(`launch tokens; each is a session of one learner for up to ${launchHours} hours`)
  tokens
    .command('mint')
    .description('start a session')
    .requiredOption('--key <key>', 'credential of the game')
    .requiredOption('--agent <agent>', 'the learner: JSON, an e-mail address, or homePage|name')
    .option('--registration <uuid>', 'registration of the session (default: a new one)')
    .addHelpText(
      'after',
      examples(
        'tokens mint --key 5f1e0c… --agent ann@example.org',
        "tokens mint --key 5f1e0c… --agent 'https://school.example|ann' --json",
      ),
    )
    .action(act(async () => (await import('../commands/tokens.ts')).mintToken))
  tokens
    .command('inspect')
    .argument('<token>', 'the launch token')
    .description('verify a token and show its game, learner and registration')
    .addHelpText('after', examples('tokens inspect eyJhbGciOi…'))
    .action(act(async () => (await import('../commands/tokens.ts')).inspectToken))
  tokens
    .command('end')
    .argument('<session>', 'a token, or the id of a learner: the account name in statements')
    .description('end the session of a token, or all player sessions of a learner, now')
    .addHelpText('after', examples('tokens end eyJhbGciOi…', 'tokens end 0b9f3a56-6f0c-4d58-9d5e-2f1f0c1f7c11'))
    .action(act(async () => (await import('../commands/tokens.ts')).endSessions))
}
