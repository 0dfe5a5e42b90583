import { findStudio } from '../../accounts/access/find-studio.ts'
import { noGame } from '../../records/access/no-game.ts'
import type { Core } from '../../context.ts'
import { quotas } from '../../../shared/limits.ts'
import type { Store } from '../../store.ts'
import type { Quota } from '../rules/quotas.ts'
import { Problem } from '../../process/problem.ts'
import { say } from '../../../shared/say.ts'

type Needs = Pick<Core, 'store' | 'room'>

/** Changes the number of bytes that a game may store; undefined: no limit. @throws Problem, Refusal 'not-found' */
export async function setGameQuota({ store, room }: Needs, gameId: string, limit: bigint | undefined): Promise<void> {
  requireSafe(limit)
  if (!(await store.gameQuotas.set(gameId, limit === undefined ? null : Number(limit)))) throw noGame()
  await room.look()
}

/** Changes a quota of one studio; without a limit it gets the usual one. Returns the limit. @throws Problem, Refusal */
export async function setQuota(store: Store, name: string, quota: string, limit: bigint | undefined): Promise<number> {
  if (!Object.hasOwn(quotas, quota)) throw new Problem('name', say`must be one of ${Object.keys(quotas).join(', ')}`)
  requireSafe(limit)
  const { studio } = await findStudio(store, name)
  await store.studios.setQuota(studio, quota, limit === undefined ? null : Number(limit))
  return limit === undefined ? quotas[quota as Quota].limit : Number(limit)
}

function requireSafe(limit: bigint | undefined): void {
  if (limit !== undefined && limit > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new Problem('limit', 'must be at most 9007199254740991')
  }
}
