import { Scope } from '../../gen/lrs/v1/identity_pb.js'
import { confirmed } from '../confirm.ts'
import { gameIdOf } from '../name-game.ts'
import type { Work } from '../session.ts'
import { list } from '../show.ts'

/** `statements/read/mine` as the contract has it. */
export const scopeOf = (name: string): Scope => Scope[name.toUpperCase().replaceAll('/', '_') as keyof typeof Scope]
export const scopeName = (scope: Scope): string => (scope === Scope.UNSPECIFIED ? '' : scopeNames.get(scope) ?? String(scope))
const scopeNames = new Map([
  [Scope.STATEMENTS_WRITE, 'statements/write'], [Scope.STATEMENTS_READ_MINE, 'statements/read/mine'], [Scope.STATEMENTS_READ, 'statements/read'],
  [Scope.STATE, 'state'], [Scope.DEFINE, 'define'], [Scope.PROFILE, 'profile'], [Scope.ALL_READ, 'all/read'], [Scope.ALL, 'all'],
])

export const issueCredential: Work<{ scope?: string[] }> = async (session, [game], { scope = [] }) => {
  const core = await session.connect()
  const { key, secret } = await core.identity.issueCredential({ gameId: await gameIdOf(core, game!), scopes: scope.map(scopeOf) })
  return { json: { key, secret }, text: `${list([['key', key], ['secret', secret]])}\nThe secret is shown this once.` }
}

export const rotateCredential: Work<object> = async (session, [key]) => {
  const { secret } = await (await session.connect()).identity.rotateCredential({ key })
  return { json: { key: key!, secret }, text: `${list([['key', key!], ['secret', secret]])}\nThe secret is shown this once; the old one is refused from now on.` }
}

export const revokeCredential: Work<{ yes?: true }> = async (session, [key], options) => {
  await confirmed(session, options, `End the credential ${key} and its launch tokens, for good?`)
  await (await session.connect()).identity.revokeCredential({ key })
  return { json: { key: key! }, text: `Revoked: ${key}.` }
}
