import type { AuditEntry, ListEntriesResponse } from '../../../../gen/lrs/v1/audit_pb.js'
import { MailState, type ListMailsResponse, type Mail } from '../../../../gen/lrs/v1/notices_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { WithAccount } from '../../../web/visit.ts'
import { counted, moment } from '../../parts/amount.ts'
import { entryItem } from '../studio/activity.ts'
import { allGroups } from '../studio/activity-words.ts'
import { field, select } from '../../parts/form.ts'
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

const path = '/operator/activity'

/** The audit log of all studios, and of what belongs to none. */
export function operatedActivityPage(visit: WithAccount, { entries, next }: ListEntriesResponse): Html {
  const { query } = visit
  const filters = ['action', 'person', 'studio', 'day'].flatMap((name) =>
    query(name) === '' ? [] : [[name, query(name)] as const],
  )
  const at = (more: readonly (readonly string[])[]): string =>
    more.length === 0 ? path : `${path}?${new URLSearchParams(more as [string, string][])}`
  return operatorLayout(
    visit,
    'Audit log',
    html`
      <details class="card filter"${filters.length > 0 && html` open`}><summary>Filters</summary>
        <form method="get" role="search" aria-label="Audit log">
          ${select({
            name: 'action',
            label: 'What',
            value: query('action'),
            of: [{ value: '', text: 'Everything' }, ...allGroups],
          })}
          ${field({
            name: 'person',
            label: 'Who',
            hint: 'E-mail address, or the role of a service.',
            type: 'search',
            value: query('person'),
            maxLength: 320,
          })}
          ${field({
            name: 'studio',
            label: 'Studio',
            hint: 'Its name in addresses.',
            type: 'search',
            value: query('studio'),
            maxLength: 320,
          })}
          ${field({ name: 'day', label: 'Day', hint: 'UTC.', type: 'date', value: query('day') })}
          <div class="actions"><button>Show</button>${
            filters.length > 0 && html`<a class="button quiet" href="${path}">Show everything</a>`
          }</div>
        </form></details>
      ${
        entries.length === 0
          ? html`<div class="card empty"><p>No entry is found.</p></div>`
          : html`<ol class="activity card">${entries.map((entry) => entryItem(entry, whoOf(entry.actor)))}</ol>`
      }
      ${
        (query('after') !== '' || next !== '') &&
        html`<nav class="actions" aria-label="Pages">
        ${query('after') !== '' && html`<a class="button quiet" href="${at(filters)}">Back to the newest</a>`}
        ${
          next !== '' && html`<a class="button" rel="next" href="${at([...filters, ['after', next]])}">Older ones</a>`
        }</nav>`
      }`,
    {
      styles: ['data.css', 'account.css'],
      lead: 'Who changed what, newest first. IP addresses are removed after 30 days.',
    },
  )
}

function whoOf(actor: AuditEntry['actor']): string {
  if (actor?.kind === 'service') return `A service token of the role ${actor.id}`
  return actor?.kind === 'stranger' ? 'A visitor who is not signed in' : actor?.name || 'An account'
}
