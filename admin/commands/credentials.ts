import { Scope } from '../../gen/lrs/v1/identity_pb.js'
import { command } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { gameIdOf } from '../name-game.ts'
import { list, table, time } from '../show.ts'

/** As xAPI names them, and as the contract has them. */
const scopes = {
  'statements/write': Scope.STATEMENTS_WRITE,
  'statements/read/mine': Scope.STATEMENTS_READ_MINE,
  'statements/read': Scope.STATEMENTS_READ,
  state: Scope.STATE,
  define: Scope.DEFINE,
  profile: Scope.PROFILE,
  'all/read': Scope.ALL_READ,
  all: Scope.ALL,
} as const
const choices = Object.keys(scopes) as (keyof typeof scopes)[]
const scopesOf = (names: readonly (keyof typeof scopes)[]): Scope[] => names.map((name) => scopes[name])
const namesOf = (given: readonly Scope[]): string[] =>
  given.map((scope) => choices.find((name) => scopes[name] === scope) ?? String(scope))

const byGame = { '<game>': 'id or slug' }
const byKey = { '<key>': 'key of the credential' }

export const commands = {
  issue: command({
    about: 'create a credential for a game and show its secret once',
    takes: byGame,
    options: { '--scope <scope...>': { about: 'what it may do (default: what a game needs)', choices } },
    examples: ['credentials issue chess', 'credentials issue chess --scope statements/read'],
    async run(core, { game, scope = [] }) {
      const gameId = await gameIdOf(core, game)
      const { key, secret } = await core.identity.issueCredential({ gameId, scopes: scopesOf(scope) })
      return { json: { key, secret }, text: `${list({ key, secret })}\nThe secret is shown only once.` }
    },
  }),
  list: command({
    about: 'list the credentials of a game, including revoked ones',
    takes: byGame,
    examples: ['credentials list chess'],
    async run(core, { game }) {
      const found = await core.admin.listCredentials({ gameId: await gameIdOf(core, game) })
      const text = table(found.credentials, 'The game has no credential yet.', {
        key: ({ key }) => key,
        scopes: ({ scopes }) => namesOf(scopes).join(' '),
        'issued (UTC)': ({ issued }) => time(issued),
        rotated: ({ rotated }) => time(rotated),
        revoked: ({ revoked }) => time(revoked),
      })
      return { json: found, text }
    },
  }),
  scopes: command({
    about: 'change what a credential may do',
    takes: byKey,
    options: { '--scope <scope...>': { about: 'everything that it may do (default: what a game needs)', choices } },
    examples: ['credentials scopes 5f1e0c… --scope statements/write statements/read', 'credentials scopes 5f1e0c…'],
    async run({ admin }, { key, scope = [] }) {
      const set = await admin.setScopes({ key, scopes: scopesOf(scope) })
      const names = namesOf(set.scopes)
      return { json: { key, scopes: names }, text: `${key} may: ${names.join(' ')}.` }
    },
  }),
  rotate: command({
    about: 'create a new secret and show it once; the old one ends now, launch tokens stay valid',
    takes: byKey,
    examples: ['credentials rotate 5f1e0c…'],
    async run({ identity }, { key }) {
      const { secret } = await identity.rotateCredential({ key })
      const note = 'The new secret is shown only once. The old one is refused from now on.'
      return { json: { key, secret }, text: `${list({ key, secret })}\n${note}` }
    },
  }),
  revoke: command({
    about: 'end a credential and its launch tokens for good',
    takes: byKey,
    options: { '--yes': 'do not ask' },
    examples: ['credentials revoke 5f1e0c…', 'credentials revoke 5f1e0c… --yes'],
    async run({ identity }, { key, yes }, session) {
      await confirmed(session, yes, `End the credential ${key} and its launch tokens for good?`)
      await identity.revokeCredential({ key })
      return { json: { key }, text: `Revoked: ${key}.` }
    },
  }),
}
