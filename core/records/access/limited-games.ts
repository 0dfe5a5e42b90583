import type { GameQuota } from '../store/game-quotas.ts'
import type { Store } from '../../store.ts'

export interface LimitedGame extends GameQuota {
  /** Bytes counted so far, with its sandbox. */
  readonly used: number
}

/** What these games have used of their quotas. */
export async function usedOf(
  gameBytes: Pick<Store['gameBytes'], 'used'>,
  games: readonly GameQuota[],
): Promise<LimitedGame[]> {
  const tenants = games.flatMap(({ game, sandbox }) => (sandbox === null ? [game] : [game, sandbox]))
  const used = tenants.length > 0 ? await gameBytes.used(tenants) : new Map<number, number>()
  const of = (tenant: number | null) => (tenant === null ? 0 : (used.get(tenant) ?? 0))
  return games.map((game) => ({ ...game, used: of(game.game) + of(game.sandbox) }))
}
