import { deliveries, forwards as limits, leaseSeconds } from '../../../shared/limits.ts'
import { type Caller, readerOf } from '../../records/access/caller.ts'
import { gameReader } from '../../games/access/game-reader.ts'
import { SealError } from '../../accounts/access/sealed.ts'
import { openCredential } from '../command/forwards.ts'
import type { Core } from '../../context.ts'
import { pauseAfter, pauseAfterBreak } from '../../process/jobs/backoff.ts'
import { isBrokenOff, OutgoingError } from '../../process/outgoing/outgoing-error.ts'
import { filterOf } from '../../records/query/statements.ts'
import { slots } from '../../process/concurrency/slots.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Page } from '../../records/store/cell/read-pages.ts'
import type { LeasedForward } from '../store/forwards.ts'
import type { Stored } from '../../records/xapi/exact.ts'
import { contentReader, preparer } from './prepare.ts'
import { sendInOrder, type Handled, type Prepared, type Sending } from './send-batch.ts'
import { ServerError, target, TargetFailure, type Target } from './target.ts'

/** Another core has the forward, or it was changed. */
class Lost extends Error {}

/** The turn is over in the middle of a batch: the rest comes with the next one. */
class TurnOver extends Error {}

const dayMicros = 24 * 60 * 60 * 1e6
/** Periods that a look covers when filters find nothing in time: all, then shorter ones. */
const periods = [Infinity, dayMicros, dayMicros / 24]

const isFull =
  `${limits.setAside} statements are set aside, the most there may be. Nothing more is sent until you try them ` +
  'again, or send again from a time on.'

/**
 * Sends what a game has stored since the last time, batch by batch, and writes down how far it has come. When a core
 * dies after the target took a batch, the batch is sent again with the same ids, so nothing is doubled.
 * @throws Error
 */
export function deliverer(core: Core) {
  const { store, meters, log } = core
  const large = slots({
    inAll: deliveries.largeAtOnce,
    ofOne: 1,
    refusal: 'Too many large requests are under way at the moment; try again.',
  })

  return async function deliver(row: LeasedForward, signal: AbortSignal): Promise<void> {
    let { failures, through, batch, serverErrors } = row
    const serverErrorsDo = serverErrors >= limits.serverErrors ? 'halve' : 'fail'
    const ends = performance.now() + limits.turnSeconds * 1000
    try {
      const caller = await gameReader(core, undefined, { gameId: row.gameId, sandbox: row.settings.sandbox })
      if (!caller) return await settle(row, true)
      if (row.setAside >= limits.setAside && !row.retries) throw new TargetFailure(isFull)
      const work = await begin(row, caller, ends)
      if (row.retries) await work.retry(signal)
      for (let setAside = row.setAside; ;) {
        const page = await work.read(through)
        const how: Sending = { most: batch, serverErrors: serverErrorsDo, large: () => large.take(row.owner) }
        const sent = await work.send(page.statements, how, page.through, signal)
        ;({ batch } = sent)
        ;({ through } = page)
        if (sent.taken > 0) failures = 0
        setAside += sent.setAside
        if (sent.taken + sent.setAside > 0) serverErrors = 0
        if (sent.error instanceof ServerError) serverErrors++
        // without an answer nothing is known of the statements
        else if (!(sent.error instanceof OutgoingError)) serverErrors = 0
        if (sent.error !== undefined) throw sent.error
        if (setAside >= limits.setAside) throw new TargetFailure(isFull)
        if (!page.more) return await settle(row, true)
        if (performance.now() > ends) return await settle(row, false)
        signal.throwIfAborted()
      }
    } catch (error) {
      if (signal.aborted || error instanceof Lost) return
      if (error instanceof TurnOver) return await settle(row, false)
      if (!isOfTarget(error)) {
        // a busy moment here says nothing of the target
        if (!(error instanceof Refusal)) throw error
        const { problem } = row
        const pause = isBrokenOff(error) ? pauseAfterBreak() : deliveries.firstPause
        await store.forwards.settle(row, { idle: false, failures, problem, pause, serverErrors })
        return
      }
      meters.forwardFailures.inc({
        why: error instanceof OutgoingError && error.failure === 'not allowed' ? 'blocked' : 'target',
      })
      const retryAfter = error instanceof TargetFailure ? error.retryAfter : undefined
      const problem = problemOf(error)
      // it is soon there again; the same pause for each reason, since a studio could tell them apart by it
      const longest = error instanceof OutgoingError ? deliveries.longestUnanswered : deliveries.longestPause
      log.info({ forward: row.forwardId, why: error.message }, 'a forward could not send')
      const pause = pauseAfter(failures + 1, retryAfter, { longest })
      const said = problem.slice(0, 1_000)
      await store.forwards.settle(row, { idle: false, failures: failures + 1, problem: said, pause, serverErrors })
    }
  }

  async function settle(row: LeasedForward, idle: boolean): Promise<void> {
    const pause = idle ? limits.idleSeconds : 0
    await store.forwards.settle(row, { idle, failures: 0, problem: '', pause, serverErrors: 0 })
  }

  async function begin(row: LeasedForward, first: Caller, ends: number) {
    let caller = first
    const { settings } = row
    const to = target(core.deliveries, settings, openCredential(core, row.forwardId, row.credential))
    const at: Target = {
      ...to,
      /** Also within a batch. @throws Lost it was paused, changed or removed meanwhile, or a learner was erased */
      async post(request) {
        if (!(await store.forwards.renew(row, leaseSeconds))) throw new Lost()
        return to.post(request)
      },
    }
    const prepare = await preparer(core, caller, settings)

    async function pageAfter(after: number): Promise<Page & { readonly until: number }> {
      for (const [n, period] of periods.entries()) {
        const until = after + period
        try {
          const found = await renewing(() =>
            store.statements.page({ ...readerOf(caller), everything: false }, filterOf(caller, settings), {
              ascending: true,
              limit: limits.batch,
              bytes: limits.batchBytes,
              after,
              until: Number.isFinite(until) ? until : undefined,
            }),
          )
          return { ...found, until }
        } catch (error) {
          if (!(error instanceof Refusal && error.reason === 'unavailable') || n === periods.length - 1) throw error
        }
      }
      throw new Error('there is a last period')
    }

    /** Once more when the credential of the game has changed. */
    async function renewing<T>(ask: () => Promise<T | 'stale'>): Promise<T> {
      for (;;) {
        const found = await core.fairQueue.run(caller.game, ask)
        if (found !== 'stale') return found
        await core.authenticator.forget(caller)
        const { gameId } = row
        const renewed = await gameReader(core, undefined, { gameId, sandbox: settings.sandbox })
        if (!renewed) throw new Lost()
        caller = renewed
      }
    }

    return {
      async read(after: number) {
        const { statements, more, consistentThrough, until } = await pageAfter(after)
        if (more && statements.length > 0) return { statements, more, through: statements.at(-1)!.stored }
        const through = Math.max(after, Math.min(until, consistentThrough))
        return { statements, more: until < consistentThrough, through }
      },

      /** Writes down what is done. `error`: what ended it, if something did. */
      async send(statements: readonly Stored[], how: Sending, end: number, signal: AbortSignal) {
        const prepared = await prepare(statements)
        const { handled, batch, error } = await sendAll(at, prepared, how, ends, signal)
        const through = error === undefined ? end : (handled.at(-1)?.stored ?? row.through)
        await note(row, caller, handled, { through, batch })
        const setAside = handled.filter(({ refused }) => refused !== undefined).length
        return { batch, taken: handled.length - setAside, setAside, error }
      },

      /** Sends what was set aside once more. */
      async retry(signal: AbortSignal): Promise<void> {
        for (;;) {
          const waiting = await store.forwards.retries(row, limits.batch)
          if (waiting.length === 0) return
          const found: Stored[] = []
          for (const { statement } of waiting) {
            const { statements } = await renewing(() =>
              store.statements.byId({ ...readerOf(caller), everything: false }, statement, false),
            )
            found.push(...statements)
          }
          // what is answered with 500 again stays set aside, and holds up nothing
          const how: Sending = { most: row.batch, serverErrors: 'set aside', large: () => large.take(row.owner) }
          const { handled, error } = await sendAll(at, await prepare(found), how, ends, signal)
          await note(row, caller, handled, { through: row.through, batch: row.batch })
          // what is not stored here any more goes as well
          const gone = waiting.map(({ stored }) => stored).filter((one) => found.every(({ stored }) => stored !== one))
          const taken = handled.filter(({ refused }) => refused === undefined).map(({ stored }) => stored)
          await store.forwards.retried(row, [...gone, ...taken])
          if (error !== undefined) throw error
          if (performance.now() > ends) throw new TurnOver()
        }
      },
    }
  }

  /** What became of each, as far as it is known, and the error that ended it, if one did. */
  async function sendAll(at: Target, prepared: readonly Prepared[], how: Sending, ends: number, signal: AbortSignal) {
    const handled: Handled[] = []
    const over = new AbortController()
    // a target that refuses each statement slowly would keep others waiting for hours
    const tell = (one: Handled) => {
      handled.push(one)
      if (performance.now() > ends) over.abort(new TurnOver())
    }
    try {
      const until = AbortSignal.any([signal, over.signal])
      const batch = await sendInOrder(at, prepared, how, contentReader(store), tell, until)
      return { handled, batch, error: undefined }
    } catch (error) {
      return { handled, batch: how.most, error: error instanceof Error ? error : new Error(String(error)) }
    }
  }

  /** Writes down what is done. @throws Lost */
  async function note(
    row: LeasedForward,
    { game }: Caller,
    handled: readonly Handled[],
    place: { through: number; batch: number },
  ): Promise<void> {
    const setAside = handled.flatMap(({ stored, id, refused }) =>
      refused === undefined ? [] : [{ stored, statement: id, reason: refused }],
    )
    const sent = handled.length - setAside.length
    if (!(await store.forwards.reach(row, { ...place, sent, setAside, tenant: game }))) throw new Lost()
    if (sent > 0) meters.forwarded.inc({ outcome: 'sent' }, sent)
    if (setAside.length > 0) meters.forwarded.inc({ outcome: 'set-aside' }, setAside.length)
  }
}

const isOfTarget = (error: unknown): error is TargetFailure | OutgoingError | SealError =>
  error instanceof TargetFailure ||
  error instanceof SealError ||
  (error instanceof OutgoingError && !isBrokenOff(error))

/** What its studio reads. */
function problemOf(error: TargetFailure | OutgoingError | SealError): string {
  if (error instanceof SealError) return 'The credential cannot be read any more: set it again.'
  return error instanceof OutgoingError ? error.told : error.message
}
