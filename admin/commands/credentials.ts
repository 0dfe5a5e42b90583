import { ListCredentialsResponseSchema } from '../../gen/lrs/v1/admin_pb.js'
import { Scope } from '../../gen/lrs/v1/identity_pb.js'
import { confirmed } from '../confirm.ts'
import { jsonOf } from '../json-of.ts'
import { gameIdOf } from '../name-game.ts'
import type { Work } from '../session.ts'
import { list, table, time } from '../show.ts'

const scopes = new Map([
  ['statements/write', Scope.STATEMENTS_WRITE],
  ['statements/read/mine', Scope.STATEMENTS_READ_MINE],
  ['statements/read', Scope.STATEMENTS_READ],
  ['state', Scope.STATE],
  ['define', Scope.DEFINE],
  ['profile', Scope.PROFILE],
  ['all/read', Scope.ALL_READ],
  ['all', Scope.ALL],
])
/** A scope as xAPI names it, as the contract has it; the command line accepts no other. */
const scopeOf = (name: string): Scope => scopes.get(name)!
const scopeName = (scope: Scope): string => scopes.entries().find(([, one]) => one === scope)?.[0] ?? String(scope)

export const listCredentials: Work<object> = async (session, [game]) => {
  const core = await session.connect()
  const found = await core.admin.listCredentials({ gameId: await gameIdOf(core, game!) })
  const rows = found.credentials.map(({ key, scopes, issued, rotated, revoked }) => [
    key,
    scopes.map(scopeName).join(' '),
    time(issued),
    time(rotated),
    time(revoked),
  ])
  return {
    json: jsonOf(ListCredentialsResponseSchema, found),
    text: table(['key', 'scopes', 'issued (UTC)', 'rotated', 'revoked'], rows, 'The game has no credential yet.'),
  }
}

export const setScopes: Work<{ scope?: string[] }> = async (session, [key], { scope = [] }) => {
  const set = await (await session.connect()).admin.setScopes({ key, scopes: scope.map(scopeOf) })
  const names = set.scopes.map(scopeName)
  return { json: { key: key!, scopes: names }, text: `${key} may: ${names.join(' ')}.` }
}

export const issueCredential: Work<{ scope?: string[] }> = async (session, [game], { scope = [] }) => {
  const core = await session.connect()
  const { key, secret } = await core.identity.issueCredential({
    gameId: await gameIdOf(core, game!),
    scopes: scope.map(scopeOf),
  })
  return {
    json: { key, secret },
    text: `${list([
      ['key', key],
      ['secret', secret],
    ])}\nThe secret is shown only once.`,
  }
}

export const rotateCredential: Work<object> = async (session, [key]) => {
  const { secret } = await (await session.connect()).identity.rotateCredential({ key })
  return {
    json: { key: key!, secret },
    text: `${list([
      ['key', key!],
      ['secret', secret],
    ])}\nThe new secret is shown only once. The old one is refused from now on.`,
  }
}

export const revokeCredential: Work<{ yes?: true }> = async (session, [key], options) => {
  await confirmed(session, options, `End the credential ${key} and its launch tokens for good?`)
  await (await session.connect()).identity.revokeCredential({ key })
  return { json: { key: key! }, text: `Revoked: ${key}.` }
}
