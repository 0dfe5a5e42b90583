import type { Config } from '../../process/config/config.ts'
import type { Store } from '../../store.ts'
import { rulesFor } from '../../records/xapi/dialect.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'
import { Problem } from '../../process/problem.ts'
import type { Authenticator, Caller } from '../../records/access/caller.ts'
import { noGame } from '../../records/access/no-game.ts'

/**
 * Reads a game's own statements for its studio, by the credential with which it sends them.
 * @param studio must own the game; undefined: any game
 * @param of the game, or the key of its credential
 * @returns undefined: the game has no credential, so no statements
 * @throws Refusal 'not-found'
 */
export async function gameReader(
  {
    store,
    authenticator,
    config,
  }: {
    readonly store: Pick<Store, 'games' | 'credentials'>
    readonly authenticator: Authenticator
    readonly config: Pick<Config, 'dialect' | 'tenancy'>
  },
  studio: number | undefined,
  of: { readonly gameId: string; readonly sandbox: boolean; readonly key?: string },
): Promise<Caller | undefined> {
  const rules = rulesFor('1.0.3', config.dialect, config.tenancy)
  const { sandbox } = of
  if (of.gameId === '' && of.key !== undefined)
    return studio === undefined ? authenticator.onBehalf(of.key, rules) : authenticator.ofStudio(studio, of.key, rules)
  const gameId = uuidParameter(of.gameId, 'gameId')
  if (gameId === undefined) throw new Problem('gameId', 'must be the UUID of a game')
  if (!(await store.games.tenant(gameId, studio, sandbox))) throw noGame()
  const { credential, sandboxKey } = await store.credentials.view(gameId)
  const key = sandbox ? sandboxKey : credential?.key
  if (key === null || key === undefined) return undefined
  return authenticator.onBehalf(key, rules)
}
