import type { AuditEntry } from '../../../../gen/lrs/v1/audit_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { SignedIn, Visit } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { doneWords, groups } from './activity-words.ts'
import { field, select } from '../../parts/form.ts'
import { pages } from '../../parts/paging.ts'
import { layout, studioTabs } from '../../parts/layout.ts'

const path = '/studio/activity'

/** What was done in the studio, for its owners. @param next position of the page of older entries; empty: none */
export const activityPage = (visit: SignedIn, entries: readonly AuditEntry[], next: string): Html =>
  layout(
    visit,
    'Audit log',
    auditLog(visit, path, groups, [person('E-mail address of a member.')], {
      entries,
      next,
      whoOf,
      none: html`<h2>Nothing found</h2><p>${
        next === '' ? 'There are no entries like this.' : 'There are none like this so far. Look further back.'
      }</p>`,
    }),
    {
      tabs: studioTabs(visit, path),
      styles: ['data.css', 'account.css'],
      lead:
        'Who changed what in your studio, newest first. Only owners see this page. IP addresses are removed ' +
        'after 30 days.',
    },
  )

/** The filter by who did it. */
export const person = (hint: string) => ({ name: 'person', label: 'Who', hint })

interface Entries {
  readonly entries: readonly AuditEntry[]
  readonly next: string
  readonly whoOf: (entry: AuditEntry) => string
  /** Says that there are none. */
  readonly none: Html
}

/** Entries of the audit log, with filters above and the way to older ones below. @param texts filters by text */
export function auditLog(
  { query }: Visit,
  path: string,
  of: readonly { readonly value: string; readonly text: string }[],
  texts: readonly { readonly name: string; readonly label: string; readonly hint: string }[],
  { entries, next, whoOf, none }: Entries,
): Html {
  const filters = ['action', ...texts.map(({ name }) => name), 'day'].flatMap((name) =>
    query(name) === '' ? [] : [[name, query(name)]],
  )
  const at = (more: string[][]): string => (more.length === 0 ? path : `${path}?${new URLSearchParams(more)}`)
  const isPaged = query('after') !== ''
  return html`
      <details class="card filter"${filters.length > 0 && html` open`}><summary>Filters</summary>
        <form method="get" role="search" aria-label="Audit log">
          ${select({
            name: 'action',
            label: 'What',
            value: query('action'),
            of: [{ value: '', text: 'Everything' }, ...of],
          })}
          ${texts.map((one) => field({ ...one, type: 'search', value: query(one.name), maxLength: 320 }))}
          ${field({ name: 'day', label: 'Day', hint: 'UTC.', type: 'date', value: query('day') })}
          <div class="actions"><button>Show</button>${
            filters.length > 0 && html`<a class="button quiet" href="${path}">Show everything</a>`
          }</div>
        </form></details>
      ${
        entries.length === 0
          ? html`<div class="card empty">${none}</div>`
          : html`<ol class="activity card">${entries.map((entry) => entryItem(entry, whoOf(entry)))}</ol>`
      }
      ${pages(isPaged && at(filters), next !== '' && at([...filters, ['after', next]]))}`
}

/** One entry; `who` is how its reader may know who did it. */
function entryItem(
  { time, action, actor, token, subject, outcome, count, address, details, request }: AuditEntry,
  who: string,
): Html {
  const about = subject?.id === actor?.id ? '' : subject?.name || subject?.id || ''
  const name = isId(about) ? '' : about
  const isOk = outcome === 'ok'
  const told = Object.entries(details).map(([name, value]) => [name.replaceAll('_', ' '), value] as const)
  const further = [
    address !== '' && `from ${address}`,
    token !== '' && `with the token “${token}”`,
    ...told.flatMap(([name, value]) => (isId(value) ? [] : [`${name}: ${value}`])),
  ].filter((part) => part !== false)
  const ids = [
    ...(isId(about) ? [`${subject!.kind} ${about}`] : []),
    ...told.flatMap(([name, value]) => (isId(value) ? [`${name} ${value}`] : [])),
    ...(request === '' ? [] : [`request ${request}`]),
  ]
  return html`<li>
        <p class="when">${moment(Number(time) / 1000)}</p>
        <p><b>${who}</b> ${doneWords(action, isOk, name !== '')}${
          name !== '' &&
          html` ${subject!.kind === 'game' && isOk ? html`<a href="/games/${subject!.id}">${name}</a>` : name}`
        }
          ${
            !isOk && html`<span class="badge bad">${outcome.replaceAll('-', ' ')}</span>`
          }${count > 1 && html` <span class="badge">${count} times</span>`}</p>
        ${further.length > 0 && html`<p class="hint">${further.join(' · ')}</p>`}
        ${ids.length > 0 && html`<details class="hint"><summary>Ids</summary>${ids.join(' · ')}</details>`}
      </li>`
}

const isId = (text: string): boolean => /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i.test(text)

const byLink = new Set(['account.use-address-link', 'account.reset-password'])

/** Accounts that were not members of the studio at that time have no name here. */
function whoOf({ action, actor }: AuditEntry): string {
  if (actor?.kind === 'service') return 'The operator'
  // the link of a mail says who it is without a sign-in
  if (actor?.kind === 'stranger') return byLink.has(action) ? 'The link of a mail' : 'A visitor who is not signed in'
  if (action === 'member.join') return actor?.name || 'A new member'
  return actor?.name || 'A reviewer or the operator'
}
