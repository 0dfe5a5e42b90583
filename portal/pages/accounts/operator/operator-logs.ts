import type { AuditEntry, ListEntriesResponse } from '../../../../gen/lrs/v1/audit_pb.js'
import { MailState, type ListMailsResponse, type Mail } from '../../../../gen/lrs/v1/notices_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { WithAccount } from '../../../web/visit.ts'
import { counted, moment } from '../../parts/amount.ts'
import { auditLog, person } from '../studio/activity.ts'
import { allGroups } from '../studio/activity-words.ts'
import { action, operatorLayout } from '../../operator/operator-layout.ts'
import { table } from '../../parts/table.ts'

const states: Record<MailState, readonly [className: string, text: string]> = {
  [MailState.UNSPECIFIED]: ['', 'Unknown'],
  [MailState.WAITING]: ['busy', 'Waiting'],
  [MailState.SENT]: ['good', 'Sent'],
  [MailState.GIVEN_UP]: ['bad', 'Given up'],
}

/** The queue of mails, without what they say. */
export function mailPage(visit: WithAccount, { mails, on }: ListMailsResponse, done?: string): Html {
  const row = ({ recipient, kind, state, created, attempts, due, failure }: Mail) => [
    recipient,
    kind,
    html`<span class="badge ${states[state][0]}">${states[state][1]}</span>`,
    moment(created),
    counted(attempts, 'attempt'),
    html`${failure}${
      due > 0n && html`${failure !== '' && html`<br>`}<span class="hint">next on ${moment(due)}</span>`
    }`,
  ]
  const isStuck = mails.some(({ state }) => state !== MailState.SENT)
  return operatorLayout(
    visit,
    'Mail',
    html`
      ${!on && html`<p class="notice warn">No mail server is set (LRS_SMTP_URL): nothing is sent.</p>`}
      ${
        mails.length === 0
          ? html`<div class="card empty"><p>There are no mails yet.</p></div>`
          : table('Mails', ['To', 'Kind', 'Is', 'Written', 'Tried', 'Last problem'], mails.map(row))
      }
      ${
        isStuck &&
        on &&
        html`<div class="actions">${action(
          visit,
          '/operator/mail/retry',
          'Try all that were not sent again now',
        )}</div>`
      }`,
    { done, lead: 'The newest 500 mails, without their contents.' },
  )
}

/** The audit log of all studios, and of what belongs to none. */
export const operatedActivityPage = (visit: WithAccount, { entries, next }: ListEntriesResponse): Html =>
  operatorLayout(
    visit,
    'Audit log',
    auditLog(
      visit,
      '/operator/activity',
      allGroups,
      [
        person('E-mail address, or the role of a service.'),
        { name: 'studio', label: 'Studio', hint: 'Its name in addresses.' },
      ],
      { entries, next, whoOf, none: html`<p>No entry is found.</p>` },
    ),
    {
      styles: ['data.css', 'account.css'],
      lead: 'Who changed what, newest first. IP addresses are removed after 30 days.',
    },
  )

function whoOf({ actor }: AuditEntry): string {
  if (actor?.kind === 'service') return `A service token of the role ${actor.id}`
  return actor?.kind === 'stranger' ? 'A visitor who is not signed in' : actor?.name || 'An account'
}
