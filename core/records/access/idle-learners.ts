import type { Config } from '../../process/config/config.ts'
import type { Cutoffs, Kept } from '../store/retention.ts'
import type { Store } from '../../store.ts'
import { monthsBefore } from '../rules/kept-months.ts'
import type { Key } from '../xapi/identify.ts'
import { learnerKeys } from './learner.ts'

/** Learners who are looked at together. */
const lookedAt = 500

/** Microseconds before which data goes. */
export const cutoffsOf = ({ statements, learners, sandbox }: Kept, now: number): Cutoffs => ({
  statementsBefore: statements === null ? null : monthsBefore(now, statements),
  learnersBefore: learners === null ? null : monthsBefore(now, learners),
  sandboxBefore: sandbox === null ? null : monthsBefore(now, sandbox),
})

interface Looking {
  readonly store: Pick<Store, 'retention' | 'expiry'>
  readonly config: Pick<Config, 'authorityHome'>
}

/** Accounts of the player that neither a session nor a statement used since; page by page. */
export async function* idleAccounts(
  { store, config }: Looking,
  game: number,
  before: number,
): AsyncGenerator<string[]> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const ids = await store.retention.idle(game, before, after, lookedAt)
    if (ids.length === 0) return
    const keys = new Map(ids.map((id) => [learnerKeys(id, config).key, id]))
    const seen = await store.expiry.seenOf(game, [...keys.keys()])
    for (const { actor, stored } of seen) if (stored >= before) keys.delete(actor)
    if (keys.size > 0) yield [...keys.values()]
    after = ids.at(-1)!
  }
}

/** Other learners whose last statement was stored before; page by page. */
export const idleActors = (looking: Looking, game: number, before: number): AsyncGenerator<Key[]> =>
  actorsOf(looking, game, before, true)
/** Learners who had a session or a statement since then, page by page. */
export const seenActors = (looking: Looking, game: number, before: number): AsyncGenerator<Key[]> =>
  actorsOf(looking, game, before, false)

async function* actorsOf({ store, config }: Looking, game: number, before: number, isIdle: boolean) {
  const active = new Set((await store.retention.active(game, before)).map((id) => learnerKeys(id, config).key))
  if (!isIdle) yield [...active]
  for (let after: Key = '0'.repeat(32); ;) {
    const seen = await store.expiry.lastSeen(game, after, lookedAt)
    if (seen.length === 0) return
    const found = seen.filter(({ actor, stored }) => (stored < before && !active.has(actor)) === isIdle)
    if (found.length > 0) yield found.map(({ actor }) => actor)
    after = seen.at(-1)!.actor
  }
}
