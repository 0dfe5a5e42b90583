import { setTimeout as pause } from 'node:timers/promises'
import { retention as limits } from '../../../shared/limits.ts'
import { cutoffsOf, idleAccounts, idleActors } from '../../access/idle-learners.ts'
import { learnerKeys } from '../../access/learner.ts'
import type { Config } from '../../config.ts'
import type { Doomed } from '../../store/cell/expiry.ts'
import type { Expired } from '../../store/cell/expiry-counts.ts'
import type { Cutoffs, KeptGame } from '../../store/directory/retention.ts'
import type { Store } from '../../store/store.ts'
import { dayNumber, monthsBefore } from '../../studio/kept-months.ts'
import type { Key } from '../../xapi/identify.ts'

/** Milliseconds for which writers may wait for one step: the next step takes fewer statements if it was longer. */
const shortStep = 60
const documentsAtOnce = 200
/** Learners who are forgotten at once. */
const forgottenAtOnce = 20

export interface Expiring {
  readonly store: Store
  readonly config: Pick<Config, 'authorityHome'>
  /** Ends the run between two steps. */
  readonly signal: AbortSignal
  /** UUID of this core's hold on the game. */
  readonly holder: string
  /** Seconds after which another core goes on if this one is gone. */
  readonly lease?: number
  readonly now?: () => number
}

/** The game is held by another core now, or this one ends. */
class Interrupted extends Error {}

/** Removes what a game need not keep any longer, if one is due; goes on where another core was interrupted. */
export async function expireNext(expiring: Expiring): Promise<'none' | 'done' | 'interrupted'> {
  const { store, holder, lease = 60, now = Date.now } = expiring
  const due = await store.retention.claim(holder, lease)
  if (!due) return 'none'
  try {
    const run = await store.retention.begin(due.game, cutoffsOf(due, now()))
    if (!run.stopped) await removeAll(expiring, due, run.id, run)
    const counts = await countsOf(store, due, run.id)
    if (counts) for (const game of tenants(due)) await store.expiry.recountBytes(game)
    await store.retention.finish(due.game, run.id, holder, counts, run.stopped)
    for (const game of tenants(due)) {
      await store.expiry.finish(run.id, game, false)
      await store.expiryDocuments.finish(run.id, game, true)
    }
    return 'done'
  } catch (error) {
    if (error instanceof Interrupted) return 'interrupted'
    throw error
  } finally {
    await store.retention.leave(holder).catch(() => undefined)
  }
}

const tenants = ({ game, sandboxGame }: KeptGame): number[] => (sandboxGame === null ? [game] : [game, sandboxGame])

async function removeAll(
  { store, config, signal, holder, lease = 60, now = Date.now }: Expiring,
  due: KeptGame,
  id: string,
  { statementsBefore, learnersBefore, sandboxBefore }: Cutoffs,
): Promise<void> {
  const { expiry, expiryDocuments, retention, learners } = store
  const until = dayNumber(monthsBefore(now(), -limits.idMonths) / 1_000)
  let held = performance.now()
  let size = 50

  /** @throws Interrupted */
  async function keep(): Promise<void> {
    if (signal.aborted) throw new Interrupted()
    if (performance.now() - held < Math.min(1_000, lease * 250)) return
    if (!(await retention.renew(due.game, holder, lease))) throw new Interrupted()
    held = performance.now()
  }

  async function removeStatements(game: number, doomed: Doomed): Promise<void> {
    for (;;) {
      await keep()
      const limit = size
      const step = await expiry.step(id, game, doomed, limit, until)
      if (step === 'busy') {
        await pause(200)
        continue
      }
      const { removed, waited } = step
      if (removed < limit) return
      size = Math.min(1_000, Math.max(10, Math.round((size * shortStep) / Math.max(waited, 1))), size * 2)
      // writers get as much time as they lost, and more
      await pause(Math.min(500, 2 * waited))
    }
  }

  async function forget(actors: readonly Key[], before: number, areMade: boolean): Promise<Key[]> {
    await keep()
    // first: without statements nobody would look for these learners again
    await expiryDocuments.removeOf(id, due.game, actors, areMade)
    await removeStatements(due.game, { actors, before })
    for (;;) {
      await keep()
      const gone = await expiry.forget(id, due.game, actors)
      if (gone !== 'busy') return gone
      await pause(200)
    }
  }

  if (statementsBefore !== null) await removeStatements(due.game, { before: statementsBefore })
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
  }
  if (sandboxBefore !== null && due.sandboxGame !== null) {
    await removeStatements(due.sandboxGame, { before: sandboxBefore })
    do await keep()
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
