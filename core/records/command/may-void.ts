import type { Caller } from '../access/caller.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Store } from '../../store.ts'
import type { Prepared } from '../xapi/prepare.ts'

/**
 * A learner may void only their own statements: stored ones, and those of the same request. A statement that is not
 * stored yet may come from another learner.
 * @throws Refusal 'forbidden' (xAPI 1.0.3 Data 2.3.2)
 */
export async function requireVoidable(
  store: Pick<Store, 'statements'>,
  { game, learner }: Caller,
  { statements }: Prepared,
): Promise<void> {
  const voiding = statements.filter(({ voids, target }) => voids && target !== undefined)
  if (!learner || voiding.length === 0) return
  const actors = await store.statements.actorsOf(
    game,
    voiding.map(({ target }) => target!),
  )
  const own = new Set(statements.map(({ id }) => id))
  for (const { target } of voiding) {
    const actor = actors.get(target!)
    if (actor === undefined ? own.has(target!) : actor === learner.agent) continue
    const message =
      `A launch token voids statements of its own learner that are stored; ${target} is not one of them. ` +
      "The game's key and secret void every statement of the game."
    throw new Refusal('forbidden', message)
  }
}
