import { statementsStored } from '../../../shared/webhook-events.ts'
import { webhooks as limits } from '../../../shared/limits.ts'
import { secretPlace, signedHeaders } from '../access/webhook-secret.ts'
import type { Core } from '../../context.ts'
import { pauseAfter, pauseAfterBreak } from '../../process/jobs/backoff.ts'
import { startLeasedWork } from '../../process/jobs/leased-work.ts'
import { webhookOff } from '../../accounts/notices/texts.ts'
import { isBrokenOff, OutgoingError } from '../../process/outgoing/outgoing-error.ts'
import { batchOf, webhookBody } from '../query/webhook-body.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Delivery, LeasedWebhook } from '../store/webhook-deliveries.ts'
import { makers } from '../../accounts/rules/roles.ts'
import { excerpt } from '../../process/rules/text.ts'
import { messageId } from '../rules/webhook.ts'
import type { OutgoingResponse } from '../../process/outgoing/web-call.ts'

/** These say that the receiver has no time, not that it dislikes one delivery. */
const isBusy = (status: number): boolean => status === 0 || status === 429 || (status >= 502 && status <= 504)

/** How one attempt ended. */
type Attempt =
  | { readonly kind: 'answered'; readonly answer: OutgoingResponse }
  | { readonly kind: 'not answered'; readonly problem: string; readonly detail: string }

/** Milliseconds in which commits are gathered before they are told, so that a busy game has few, full batches. */
const gatherMs = 250

/**
 * Sends to webhooks what is due, the same id in every attempt. One core at a time works on a webhook, so batches of
 * statements arrive in order. What this core commits is looked at soon; the look of `everyMs` finds the rest.
 * @param everyMs between two looks
 */
export function startWebhooks(core: Core, everyMs: number): { stop(): Promise<void> } {
  const { store, sealer, deliveries, meters, notices, log, jobs } = core
  const { webhookDeliveries } = store
  let news = new Set<number>()
  /** Ids by the game that they wait for, as of the last look. */
  let waiting = new Map<number, number[]>()
  let looked = -Infinity

  /** Webhooks of games that have stored something after the webhook's place. */
  async function lookForNews(): Promise<void> {
    if (performance.now() - looked < everyMs / 2) return
    looked = performance.now()
    const following = await webhookDeliveries.following()
    waiting = new Map()
    for (const { game, id } of following) waiting.set(game, [...(waiting.get(game) ?? []), id])
    news.clear()
    if (following.length === 0) return
    const latest = await store.statements.latest([...new Set(following.map(({ game }) => game))], false)
    news = new Set(following.filter(({ game, place }) => (latest.get(game) ?? 0) > place).map(({ id }) => id))
  }

  async function lease(
    seconds: number,
    busy: readonly string[],
    used: ReadonlyMap<string, number>,
  ): Promise<LeasedWebhook | undefined> {
    await lookForNews()
    const hook = await webhookDeliveries.lease(seconds, busy, used, [...news])
    if (hook) news.delete(hook.id)
    return hook
  }

  async function deliver(leased: LeasedWebhook, signal: AbortSignal): Promise<void> {
    const ends = performance.now() + limits.turnSeconds * 1000
    for (let sent = 0; sent < limits.inRow && performance.now() < ends && !signal.aborted; sent++) {
      const hook = await webhookDeliveries.current(leased)
      if (!hook) break
      const delivery = await next(hook)
      if (delivery === undefined) break
      if (delivery !== 'moved on' && !(await sendOne(hook, delivery, signal))) break
    }
    await webhookDeliveries.release(leased)
  }

  /** What is due; else the next statements, which are written down as a batch first. */
  async function next(hook: LeasedWebhook): Promise<Delivery | 'moved on' | undefined> {
    const due = await webhookDeliveries.next(hook)
    if (due) return due
    if (!hook.events.includes(statementsStored) || (await webhookDeliveries.hasBatch(hook.id))) return undefined
    const { filter, place: after } = hook
    const found = await look(hook)
    if (!found) return undefined
    const { page, end } = found
    const { length } = page.statements
    const place = page.more ? page.statements.at(-1)!.stored : Math.min(end, page.consistentThrough)
    if (place <= after) return undefined
    const until = length > 0 ? page.statements.at(-1)!.stored : place
    const batch = { after, until, place, statements: length, filter }
    if (!(await webhookDeliveries.reach(hook, batch))) return undefined
    return length > 0 || page.more ? 'moved on' : undefined
  }

  /** Looks for statements; in shorter and shorter periods, if few match, so that the place moves on. */
  async function look({ gameId, filter, place: after }: LeasedWebhook) {
    let end = Infinity
    for (let left = 8; ; left--) {
      try {
        const page = await batchOf(core, gameId, filter, { after, until: end === Infinity ? undefined : end })
        return page && { page, end }
      } catch (error) {
        if (!(error instanceof Refusal && error.reason === 'unavailable') || left === 0) throw error
        end = after + Math.ceil((Math.min(end, Date.now() * 1000) - after) / 8)
      }
    }
  }

  /** False: this webhook has had its turn. */
  async function sendOne(hook: LeasedWebhook, delivery: Delivery, signal: AbortSignal): Promise<boolean> {
    const attempt = await attemptAt(hook, delivery)
    // the core that has it now sends it again, with the same id
    if (signal.aborted && attempt.kind === 'not answered') return false
    if (attempt.kind === 'not answered') return failed(hook, delivery, { status: 0, ...attempt })
    const { status, body, headers, isPublic } = attempt.answer
    // it may name the learner
    const isKept = delivery.type !== 'learner.erased'
    const answer = excerpt(Buffer.from(body.subarray(0, isKept ? 4 * limits.answer : 0)).toString(), limits.answer)
    if (status >= 200 && status < 300) {
      meters.webhooks.inc({ outcome: 'delivered' })
      return webhookDeliveries.delivered(hook, delivery.id, { status, answer, internal: !isPublic })
    }
    const problem = `The receiver answered ${status}.`
    return failed(hook, delivery, { status, problem, answer, internal: !isPublic, retryAfter: headers['retry-after'] })
  }

  async function attemptAt(hook: LeasedWebhook, delivery: Delivery): Promise<Attempt> {
    const body = await webhookBody(core, hook.gameId, delivery)
    const id = messageId(delivery.message)
    const secrets = [sealer.open(secretPlace(hook.webhookId, 'secret'), hook.secret)]
    if (hook.oldSecret) secrets.push(sealer.open(secretPlace(hook.webhookId, 'old_secret'), hook.oldSecret))
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'games-lrs-webhooks/1',
      ...signedHeaders(secrets, { id, seconds: Math.floor(Date.now() / 1000), body }),
    }
    try {
      const answer = await deliveries.guardedFetch({ url: hook.url, method: 'POST', headers, body })
      return { kind: 'answered', answer }
    } catch (error) {
      if (!(error instanceof OutgoingError) || isBrokenOff(error)) throw error
      return { kind: 'not answered', problem: error.told, detail: error.message }
    }
  }

  async function failed(
    hook: LeasedWebhook,
    delivery: Delivery,
    {
      status,
      problem,
      detail = problem,
      answer = '',
      internal = false,
      retryAfter,
    }: {
      status: number
      problem: string
      detail?: string
      answer?: string
      internal?: boolean
      retryAfter?: string | undefined
    },
  ): Promise<boolean> {
    const hold = isBusy(status) || retryAfter !== undefined
    // a receiver that answers nothing at all is asked as rarely as its worst delivery
    const pause = pauseAfter(Math.max(delivery.attempts, hold ? hook.failures : 0) + 1, retryAfter)
    const noted = await webhookDeliveries.failed(hook, delivery.id, { status, problem, answer, internal, pause, hold })
    meters.webhooks.inc({ outcome: 'failed' })
    if (!noted) return false
    log.info({ webhook: hook.webhookId, status, why: detail }, 'a webhook could not be delivered')
    if (status === 410) return turnOff(hook, 'The receiver answered 410 Gone: it wants no more.')
    if (!noted.isOld) return !hold
    const isBatch = delivery.data === null && !delivery.again
    // statements are never left out, so they wait until the webhook goes on
    if (isBatch || noted.isDead)
      return turnOff(hook, `It failed for ${limits.givenUpDays} days. The last problem: ${problem}`)
    meters.webhooks.inc({ outcome: 'given-up' })
    await webhookDeliveries.giveUp(delivery.id)
    return !hold
  }

  async function turnOff(hook: LeasedWebhook, problem: string): Promise<false> {
    await store.transaction(async (run) => {
      if (!(await webhookDeliveries.turnOff(run, hook, problem.slice(0, 500)))) return
      await notices.tell({ studio: hook.studio, roles: makers }, 'connection', webhookOff(hook, problem), run)
    })
    meters.webhooks.inc({ outcome: 'turned-off' })
    return false
  }

  const work = startLeasedWork<LeasedWebhook>(
    {
      name: 'webhooks',
      lease,
      owner: ({ owner }) => owner,
      host: ({ host }) => `host ${host}`,
      renew: webhookDeliveries.renew,
      release: webhookDeliveries.release,
      async deliver(hook, signal) {
        try {
          await deliver(hook, signal)
        } catch (error) {
          // all slots for calls are taken, the database is busy, or a call broke off: soon again
          if (!(error instanceof Refusal)) throw error
          const pause = isBrokenOff(error) ? pauseAfterBreak() : limits.busySeconds
          await webhookDeliveries.putOff(hook, pause).catch(() => undefined)
        }
      },
    },
    { everyMs, jobs, log },
  )
  const endCommits = store.statements.onCommit((games) => {
    const ids = [...games].flatMap((game) => waiting.get(game) ?? [])
    for (const id of ids) news.add(id)
    if (ids.length > 0) work.wake()
  }, gatherMs)
  return {
    stop: () => {
      endCommits()
      return work.stop()
    },
  }
}
