import { mails as limits } from '../../../shared/limits.ts'
import type { Core } from '../../context.ts'
import { pauseAfter, pauseAfterBreak } from '../../process/jobs/backoff.ts'
import { startLeasedWork } from '../../process/jobs/leased-work.ts'
import { isBrokenOff, OutgoingError } from '../../process/outgoing/outgoing-error.ts'
import type { LeasedMail } from '../store/mails.ts'
import { renderMail } from './render.ts'
import { wordsOf } from './said.ts'

const atOnce = 4
const pauses = { first: limits.firstPause, longest: limits.longestPause }

type Needs = Pick<Core, 'config' | 'store' | 'outgoing' | 'links' | 'meters' | 'log' | 'jobs'>

/**
 * Sends the mails of the queue, if there is a mail server.
 * @param everyMs between two looks at the queue
 * @returns stops and waits for those under way
 */
export function startSending(
  { config: { mail }, store, outgoing, links, meters, log, jobs }: Needs,
  everyMs: number,
): () => Promise<void> {
  if (!mail) return async () => {}
  const { server, from, portalUrl } = mail

  async function deliver(mail: LeasedMail): Promise<void> {
    const { mailId, recipient, content, link, attempts, age } = mail
    const at = `${portalUrl}${content.path}${link === null ? '' : `?code=${links.tokenOf(link)}`}`
    const ends = content.ends === undefined ? '' : `${portalUrl}/mail/weekly?code=${links.tokenOf(content.ends)}`
    // what is not in the catalogue is English, with what stands around it
    const language = content.says ? mail.language || content.language || 'en' : 'en'
    const text = content.says ? { ...content, ...wordsOf(content.says, language) } : content
    const kind = ends !== '' ? 'weekly' : link === null ? 'notice' : 'link'
    const rendered = renderMail(text, at, kind, ends, language)
    try {
      const { refused } = await outgoing.sendMail({ server, from, to: recipient, id: mailId, ends, ...rendered })
      meters.mails.inc({ outcome: refused === undefined ? 'sent' : 'given-up' })
      if (refused === undefined) return await store.mails.sent(mail)
      await store.mails.failed(mail, refused, null)
      log.warn({ mail: mailId, why: refused }, 'a mail was given up: the mail server does not take it')
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error
      const isOver = age > limits.givenUpDays * 24 * 60 * 60
      // it says nothing of the mail server
      if (isBrokenOff(error) && !isOver) return await store.mails.putOff(mail, pauseAfterBreak())
      meters.mails.inc({ outcome: isOver ? 'given-up' : 'failed' })
      await store.mails.failed(mail, error.message, isOver ? null : pauseAfter(attempts, undefined, pauses))
      log.warn({ mail: mailId, attempts, why: error.message }, 'a mail could not be sent')
    }
  }

  return startLeasedWork<LeasedMail>({ name: 'mails', ...store.mails, deliver }, { everyMs, jobs, log, atOnce }).stop
}
