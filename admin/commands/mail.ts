import { MailState } from '../../gen/lrs/v1/notices_pb.js'
import { command } from '../command.ts'
import { amount, table, time, wordOf } from '../show.ts'

export const commands = {
  list: command({
    about: 'list the newest 500 mails, without their contents',
    options: { '--waiting': 'only those that wait', '--given-up': 'only those that were given up' },
    examples: ['mail list', 'mail list --given-up --json | jq -r ".mails[].failure"'],
    async run({ notices }, { waiting, givenUp }) {
      const state = waiting ? MailState.WAITING : givenUp ? MailState.GIVEN_UP : MailState.UNSPECIFIED
      const found = await notices.listMails({ state })
      const text = table(found.mails, 'There are no such mails.', {
        id: ({ mailId }) => mailId,
        to: ({ recipient }) => recipient,
        kind: ({ kind }) => kind,
        state: ({ state }) => (state === MailState.WAITING ? 'waits' : wordOf(MailState, state, ' ')),
        'written (UTC)': ({ created }) => time(created),
        attempts: ({ attempts }) => attempts,
        'next (UTC)': ({ due }) => time(due),
        'what went wrong': ({ failure }) => failure,
      })
      return { json: found, text: found.on ? text : `No mail is sent: LRS_SMTP_URL is not set.\n${text}` }
    },
  }),
  retry: command({
    about: 'try to send a mail again at once, or all that were not sent',
    takes: { '[mail]': 'id, as "mail list" shows them; default: every mail that was not sent' },
    examples: ['mail retry', 'mail retry 5f0c9c1e-6c55-4a3c-9d4e-0b8a86a3a1b7'],
    async run({ notices }, { mail }) {
      const { mails } = await notices.retryMails({ mailIds: mail === undefined ? [] : [mail] })
      return { json: { mails }, text: `Tried again now: ${amount(mails, 'mail')}.` }
    },
  }),
}
