import type { Expired } from '../../../gen/lrs/v1/retention_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { retention as limits } from '../../../shared/limits.ts'
import { learnerKeys } from '../access/learner.ts'
import { noGame } from '../access/no-game.ts'
import { cutoffsOf, idleAccounts, idleActors } from '../access/idle-learners.ts'
import type { Core } from '../../context.ts'
import type { Kept, KeptGame, RetentionRun } from '../store/retention.ts'
import type { Store } from '../../store.ts'
import type { Key } from '../xapi/identify.ts'

/** Numbers of what goes. Times are microseconds. */
export type WouldExpire = Fields<Expired>

/** @param studio must own the game; undefined: any game @throws Refusal */
export async function getRetention(
  { retention }: Pick<Store, 'retention'>,
  studio: number | undefined,
  gameId: string,
): Promise<{ kept: KeptGame; runs: RetentionRun[] }> {
  const kept = await retention.get(gameId, studio)
  if (!kept) throw noGame()
  return { kept, runs: await retention.runs(kept.game) }
}

/** Counts what a setting would remove now. @throws Refusal */
export async function previewRetention(
  { store, config, chartQueue }: Pick<Core, 'store' | 'config' | 'chartQueue'>,
  studio: number | undefined,
  gameId: string,
  wanted: Kept,
): Promise<WouldExpire> {
  const kept = await store.retention.get(gameId, studio)
  if (!kept) throw noGame()
  return chartQueue.run(studio ?? 'admins', () => count({ store, config }, kept, wanted))
}

async function count(
  looking: Pick<Core, 'store' | 'config'>,
  { game, sandboxGame }: KeptGame,
  wanted: Kept,
): Promise<WouldExpire> {
  const { store, config } = looking
  const { statementsBefore, learnersBefore, sandboxBefore } = cutoffsOf(wanted, Date.now())
  const sum = { statements: 0, learners: 0, documents: 0, first: Infinity, last: 0 }
  let more = false
  const add = ({ statements, first, last }: { statements: number; first: number | null; last: number | null }) => {
    sum.statements += statements
    sum.first = Math.min(sum.first, first ?? Infinity)
    sum.last = Math.max(sum.last, last ?? 0)
  }
  if (statementsBefore !== null) add(await store.expiry.countOld(game, statementsBefore))
  async function addLearners(actors: readonly Key[]): Promise<boolean> {
    sum.learners += actors.length
    // older ones are counted already
    add(await store.expiry.countOf(game, actors, (statementsBefore ?? 1) - 1))
    sum.documents += await store.expiryDocuments.countOf(game, actors)
    return sum.learners < limits.countedLearners
  }
  if (learnersBefore !== null) {
    const accounts = new Set<Key>()
    for await (const ids of idleAccounts(looking, game, learnersBefore)) {
      const keys = ids.map((id) => learnerKeys(id, config).key)
      for (const key of keys) accounts.add(key)
      if (!(await addLearners(keys))) break
    }
    for await (const actors of idleActors(looking, game, learnersBefore))
      if (!(await addLearners(actors.filter((actor) => !accounts.has(actor))))) break
    more = sum.learners >= limits.countedLearners
  }
  const isOfSandbox = sandboxBefore !== null && sandboxGame !== null
  const sandbox = isOfSandbox ? await store.expiry.countOld(sandboxGame, sandboxBefore) : undefined
  return {
    ...sum,
    first: sum.first === Infinity ? 0 : sum.first,
    sandboxStatements: sandbox?.statements ?? 0,
    sandboxDocuments: isOfSandbox ? await store.expiryDocuments.countOld(sandboxGame, sandboxBefore) : 0,
    more: more || [sum.statements, sandbox?.statements ?? 0].some((count) => count > limits.counted),
  }
}
