import type { CreateTokenRequest } from '../../../gen/lrs/v1/tokens_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { requireFresh } from '../access/developer.ts'
import { newPersonalToken } from '../access/personal-tokens.ts'
import { hashSecret } from '../../process/secret.ts'
import type { Core } from '../../context.ts'
import { tokenMade } from '../notices/texts.ts'
import { Refusal } from '../../process/refusal.ts'
import { mostTokens } from '../store/personal-tokens.ts'
import type { Developer } from '../store/studio-sessions.ts'
import { checkAll } from '../../process/rules/check-all.ts'
import { covers } from '../rules/roles.ts'
import { line } from '../../process/rules/text.ts'
import { isTokenScope, tokenDays, tokenScopes, type TokenScope } from '../rules/token-scopes.ts'
import { Problem } from '../../process/problem.ts'
import { say } from '../../../shared/say.ts'

type Wanted = Fields<CreateTokenRequest>

/**
 * Makes a personal token, and tells its owner. It outlasts sessions and passwords, so a finder of an open session
 * cannot make one. Only its hash is stored.
 * @throws Problem, Refusal
 */
export async function createToken(
  { store, notices }: Pick<Core, 'store' | 'notices'>,
  developer: Developer,
  wanted: Wanted,
): Promise<{ tokenId: string; token: string }> {
  requireFresh(developer)
  const [name, scopes, days] = checkAll(
    () => line(wanted.name, 'name', { min: 1, max: 60 }),
    () => scopesOf(developer, wanted.scopes),
    () => daysOf(wanted.days),
  )
  const token = newPersonalToken()
  const tokenId = await store.personalTokens.add(developer, { name, hash: hashSecret(token), scopes, days })
  if (tokenId === undefined)
    throw new Refusal('quota-exceeded', `You have ${mostTokens} personal tokens: revoke one of them first.`)
  await notices.tell({ accounts: [developer.account] }, 'security', tokenMade(name))
  return { tokenId, token }
}

function scopesOf({ role, kind }: Developer, given: readonly string[]): TokenScope[] {
  const names = [...new Set(given)]
  if (names.length === 0) throw new Problem('scopes', 'must have one at least')
  return names.map((name) => {
    if (!isTokenScope(name)) throw new Problem('scopes', say`must be of ${Object.keys(tokenScopes).join(', ')}`)
    if (!covers(kind, role, tokenScopes[name].role))
      throw new Problem('scopes', `must be what you may do yourself: ${name} needs the role ${tokenScopes[name].role}`)
    return name
  })
}

function daysOf(days: number): number {
  if (days > tokenDays.most) throw new Problem('days', `must be at most ${tokenDays.most}`)
  return days || tokenDays.usual
}

/** Ends a token at once; an owner ends those of all members. Returns its name. @throws Refusal */
export async function revokeToken(
  { store }: Pick<Core, 'store'>,
  { studio, account, role }: Developer,
  { tokenId }: { readonly tokenId: string },
): Promise<{ name: string }> {
  const name = await store.personalTokens.revoke(tokenId, studio, role === 'owner' ? null : account)
  if (name === undefined) throw new Refusal('not-found', 'There is no such personal token (any more).')
  return { name }
}
