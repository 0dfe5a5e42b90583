import { ListMailsResponseSchema, MailState } from '../../gen/lrs/v1/notices_pb.js'
import { jsonOf } from '../json-of.ts'
import type { Work } from '../session.ts'
import { table, time } from '../show.ts'

const words: Record<MailState, string> = {
  [MailState.UNSPECIFIED]: '',
  [MailState.WAITING]: 'waits',
  [MailState.SENT]: 'sent',
  [MailState.GIVEN_UP]: 'given up',
}

export const listMails: Work<{ waiting?: true; givenUp?: true }> = async (session, _args, { waiting, givenUp }) => {
  const state = waiting ? MailState.WAITING : givenUp ? MailState.GIVEN_UP : MailState.UNSPECIFIED
  const found = await (await session.connect()).notices.listMails({ state })
  const rows = found.mails.map(({ mailId, recipient, kind, state, created, attempts, due, failure }) => [
    mailId,
    recipient,
    kind,
    words[state],
    time(created),
    String(attempts),
    time(due),
    failure,
  ])
  const head = ['id', 'to', 'kind', 'state', 'written (UTC)', 'attempts', 'next (UTC)', 'what went wrong']
  const text = table(head, rows, 'There are no such mails.')
  const off = found.on ? '' : 'No mail is sent: LRS_SMTP_URL is not set.\n'
  return { json: jsonOf(ListMailsResponseSchema, found), text: `${off}${text}` }
}

export const retryMails: Work<object> = async (session, [mailId]) => {
  const mailIds = mailId === undefined ? [] : [mailId]
  const { mails } = await (await session.connect()).notices.retryMails({ mailIds })
  return { json: { mails }, text: `Tried again now: ${mails} ${mails === 1 ? 'mail' : 'mails'}.` }
}
