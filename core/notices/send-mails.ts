import { setTimeout as wait } from 'node:timers/promises'
import { mails as limits } from '../../shared/limits.ts'
import type { Core } from '../context.ts'
import { pauseAfterBreak } from '../delivery/backoff.ts'
import { isBrokenOff, OutgoingError } from '../outgoing/outgoing-error.ts'
import { isAway, Refusal } from '../refusal.ts'
import type { ClaimedMail } from '../store/directory/mails.ts'
import { renderMail } from './render.ts'

const atOnce = 4

type Needs = Pick<Core, 'config' | 'store' | 'outgoing' | 'links' | 'meters' | 'log'>

/**
 * Sends the mails of the queue, if there is a mail server.
 * @param everyMs between two looks at the queue
 * @returns stops and waits for those under way
 */
export function startSending(
  { config: { mail }, store, outgoing, links, meters, log }: Needs,
  everyMs: number,
): () => Promise<void> {
  const ending = new AbortController()
  if (!mail) return async () => {}
  const { server, from, portalUrl } = mail

  async function send(claimed: ClaimedMail): Promise<void> {
    const { mailId, recipient, content, link, attempts, age } = claimed
    const at = `${portalUrl}${content.path}${link === null ? '' : `?code=${links.tokenOf(link)}`}`
    const rendered = renderMail(content, at, link === null ? 'notice' : 'link')
    try {
      const { refused } = await outgoing.sendMail({ server, from, to: recipient, id: mailId, ...rendered })
      meters.mails.inc({ outcome: refused === undefined ? 'sent' : 'given-up' })
      if (refused === undefined) return await store.mails.sent(claimed)
      await store.mails.failed(claimed, refused, null)
      log.warn({ mail: mailId, why: refused }, 'a mail was given up: the mail server does not take it')
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error
      const isOver = age > limits.givenUpDays * 24 * 60 * 60
      // it says nothing of the mail server
      if (isBrokenOff(error) && !isOver) return await store.mails.putOff(claimed, pauseAfterBreak())
      meters.mails.inc({ outcome: isOver ? 'given-up' : 'failed' })
      await store.mails.failed(claimed, error.message, isOver ? null : pauseAfter(attempts))
      log.warn({ mail: mailId, attempts, why: error.message }, 'a mail could not be sent')
    }
  }

  async function sendDue(): Promise<void> {
    while (!ending.signal.aborted) {
      const due = await store.mails.claim(atOnce, limits.claimSeconds)
      if (due.length === 0) return
      await Promise.all(due.map(send))
    }
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      await sendDue().catch((error: unknown) => {
        const isQuiet = isAway(error) || (error instanceof Refusal && ending.signal.aborted)
        log[isQuiet ? 'debug' : 'warn']({ err: error }, 'mails could not be sent')
      })
      await wait(everyMs, undefined, { signal: ending.signal, ref: false }).catch(() => undefined)
    }
  }

  const running = run()
  return async () => {
    ending.abort()
    await running
  }
}

/** Seconds until the next attempt; with some chance, so that many mails do not come at once. */
export const pauseAfter = (attempts: number): number =>
  Math.min(limits.longestPause, limits.firstPause * 2 ** (attempts - 1)) * (0.75 + Math.random() / 2)
