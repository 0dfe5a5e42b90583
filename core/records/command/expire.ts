import { setTimeout as pause } from 'node:timers/promises'
import { retention as limits } from '../../../shared/limits.ts'
import { cutoffsOf, idleAccounts, idleActors, seenActors } from '../access/idle-learners.ts'
import { learnerKeys } from '../access/learner.ts'
import type { Config } from '../../process/config/config.ts'
import type { Doomed } from '../store/cell/expiry.ts'
import type { NamedAgent } from '../store/cell/expiry-names.ts'
import type { Expired } from '../store/cell/expiry-counts.ts'
import type { KeptGame, LeasedGame, RetentionRun } from '../store/retention.ts'
import type { Store } from '../../store.ts'
import { dayNumber, monthsBefore } from '../rules/kept-months.ts'
import type { Key } from '../xapi/identify.ts'
import { removeInSteps } from './remove-in-steps.ts'

const documentsAtOnce = 200
/** Learners who are forgotten at once. */
const forgottenAtOnce = 20
/** Agents of removed statements whose names are looked at together. */
const namedAtOnce = 10_000

export interface Expiring {
  readonly store: Store
  readonly config: Pick<Config, 'authorityHome'>
  readonly now?: () => number
}

/**
 * Removes what a game need not keep any longer; goes on where another core was interrupted.
 * @param signal ends the run between two steps
 */
export async function expire(expiring: Expiring, due: LeasedGame, signal: AbortSignal): Promise<void> {
  const { store, now = Date.now } = expiring
  const run = await store.retention.begin(due.game, cutoffsOf(due, now()))
  if (!run.stopped) await removeAll(expiring, due, run, signal)
  const counts = await countsOf(store, due, run.id)
  if (counts) for (const game of tenants(due)) await store.expiry.recountBytes(game)
  await store.retention.finish(due, run.id, counts, run.stopped)
  for (const game of tenants(due)) {
    await store.expiry.finish(run.id, game, false)
    await store.expiryDocuments.finish(run.id, game, true)
  }
}

const tenants = ({ game, sandboxGame }: KeptGame): number[] => (sandboxGame === null ? [game] : [game, sandboxGame])

async function removeAll(
  { store, config, now = Date.now }: Expiring,
  due: KeptGame,
  { id, statementsBefore, learnersBefore, sandboxBefore }: RetentionRun,
  signal: AbortSignal,
): Promise<void> {
  const { expiry, expiryDocuments, formerLearners, forwards, learners, refusals } = store
  const until = dayNumber(monthsBefore(now(), -limits.idMonths) / 1_000)

  async function removeStatements(game: number, doomed: Doomed): Promise<void> {
    const named = new Map<Key, NamedAgent>()
    await removeInSteps(async (limit) => {
      const step = await expiry.step(id, game, doomed, limit, until)
      if (step !== 'busy') for (const agent of step.agents) named.set(agent.key, agent)
      if (named.size >= namedAtOnce) await forgetNames(game, named)
      return step
    }, signal)
    await forgetNames(game, named)
  }

  async function forgetNames(game: number, named: Map<Key, NamedAgent>): Promise<void> {
    const agents = [...named.values()]
    named.clear()
    let at = 0
    await removeInSteps(async (limit) => {
      const some = agents.slice(at, at + limit)
      if (some.length === 0) return { removed: 0, waited: 0 }
      const step = await expiry.forgetNames(id, game, some)
      if (step === 'busy') return step
      at += some.length
      return { removed: some.length, ...step }
    }, signal)
  }

  async function forget(actors: readonly Key[], before: number, areMade: boolean): Promise<Key[]> {
    signal.throwIfAborted()
    // first: without statements nobody would look for these learners again
    await expiryDocuments.removeOf(id, due.game, actors, areMade)
    await removeStatements(due.game, { actors, before })
    for (;;) {
      signal.throwIfAborted()
      const gone = await expiry.forget(id, due.game, actors)
      if (gone !== 'busy') return gone
      await pause(200)
    }
  }

  if (learnersBefore !== null) {
    for await (const ids of idleAccounts({ store, config }, due.game, learnersBefore)) {
      for (let at = 0; at < ids.length; at += forgottenAtOnce) {
        const some = new Map(
          ids.slice(at, at + forgottenAtOnce).map((one) => [learnerKeys(one, config).key, one] as const),
        )
        const gone = await forget([...some.keys()], learnersBefore, true)
        await learners.removeAll(gone.map((key) => some.get(key)!))
      }
    }
    for await (const actors of idleActors({ store, config }, due.game, learnersBefore)) {
      for (let at = 0; at < actors.length; at += forgottenAtOnce)
        await forget(actors.slice(at, at + forgottenAtOnce), learnersBefore, false)
    }
    await formerLearners.forgetUnseen(due.game, learnersBefore, seenActors({ store, config }, due.game, learnersBefore))
    await forwards.expire(due.game, learnersBefore)
  }
  if (due.deleted) await formerLearners.forgetAll(due.game)
  // after the learners, who are found by their statements
  if (statementsBefore !== null) {
    await removeStatements(due.game, { before: statementsBefore, remember: !due.deleted })
    await refusals.expire(due.game, statementsBefore)
    await forwards.expire(due.game, statementsBefore)
  }
  if (sandboxBefore !== null && due.sandboxGame !== null) {
    await removeStatements(due.sandboxGame, { before: sandboxBefore })
    await refusals.expire(due.sandboxGame, sandboxBefore)
    await forwards.expire(due.sandboxGame, sandboxBefore)
    do signal.throwIfAborted()
    while ((await expiryDocuments.removeOld(id, due.sandboxGame, sandboxBefore, documentsAtOnce)) === documentsAtOnce)
  }
}

/** What the run has removed; undefined: nothing. */
async function countsOf({ expiry, expiryDocuments }: Store, due: KeptGame, id: string) {
  const [live, sandbox] = await Promise.all(
    [due.game, due.sandboxGame].map(async (game): Promise<Expired | undefined> => {
      if (game === null) return undefined
      const { documents } = await expiryDocuments.counted(id, game, true)
      return { ...(await expiry.counted(id, game, false)), documents }
    }),
  )
  const counts = {
    statements: live!.statements,
    learners: live!.learners,
    documents: live!.documents,
    names: live!.names,
    attachments: live!.attachments + (sandbox?.attachments ?? 0),
    first: live!.first,
    last: live!.last,
    sandboxStatements: sandbox?.statements ?? 0,
    sandboxDocuments: sandbox?.documents ?? 0,
  }
  const { statements, learners, documents, sandboxStatements, sandboxDocuments } = counts
  return statements + learners + documents + sandboxStatements + sandboxDocuments === 0 ? undefined : counts
}
