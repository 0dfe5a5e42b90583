import type { FindAccountsResponse, OperatedAccount } from '../../../../gen/lrs/v1/operator_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { WithAccount } from '../../../web/visit.ts'
import { counted, moment } from '../../parts/amount.ts'
import { hidden, form, submit, type Sent } from '../../parts/form.ts'
import { action, finder, operatorLayout, questionPage, shown } from '../../operator/operator-layout.ts'
import { table } from '../../parts/table.ts'
import { roleName, suspendedBadge } from './operator-studios.ts'

const at = ({ accountId }: OperatedAccount): string => `/operator/accounts/${accountId}`
const trail = [
  { href: '/operator', text: 'Operator' },
  { href: '/operator/accounts', text: 'Accounts' },
]
const rights = ({ reviewer, admin }: OperatedAccount): string =>
  [admin && 'admin', reviewer && 'reviewer'].filter((one) => one !== false).join(', ') || 'none'
const last = ({ lastUsed }: OperatedAccount): Html | string => (lastUsed > 0n ? moment(lastUsed) : 'no session')

export function accountsPage(visit: WithAccount, { accounts, total }: FindAccountsResponse): Html {
  const row = (account: OperatedAccount) => [
    html`<a href="${at(account)}">${account.email}</a> ${suspendedBadge(account.suspended)}`,
    account.studios.map(({ name }) => name).join(', ') || 'none',
    rights(account),
    String(account.sessions),
    last(account),
  ]
  return operatorLayout(
    visit,
    'Accounts',
    html`${finder(visit, 'A part of the address or name')}
      ${
        accounts.length === 0
          ? html`<div class="card empty"><p>No account is found.</p></div>`
          : table('Accounts', ['Account', 'Studios', 'Rights', 'Sessions', 'Last used'], accounts.map(row))
      }
      ${shown(accounts.length, total, 'accounts')}`,
  )
}

export function operatedAccountPage(visit: WithAccount, account: OperatedAccount, sent: Sent, done?: string): Html {
  const { email, name, reviewer, created, suspended, sessions, studios, verified, ends, mayOwn } = account
  const isOwn = visit.account.accountId === account.accountId
  return operatorLayout(
    visit,
    email,
    html`
      ${
        suspended > 0n &&
        html`<div class="notice bad"><p><strong>Suspended since ${moment(suspended)}.</strong> Nobody can sign in to
        this account.</p>
        <div class="actions">${action(visit, `${at(account)}/resume`, 'Lift the suspension')}</div></div>`
      }
      <div class="halves">
        <section class="card" aria-labelledby="facts"><h2 id="facts">Account</h2>
          <dl class="facts">${name !== '' && html`<dt>Name</dt><dd>${name}</dd>`}<dt>Since</dt>
          <dd>${moment(created)}</dd>
            <dt>Address</dt><dd>${
              verified > 0n ? html`verified on ${moment(verified)}` : 'not verified'
            }</dd>${ends > 0n && html`<dt>Ends</dt><dd>deleted on ${moment(ends)}, as its owner asked</dd>`}
            <dt>Rights</dt><dd>${rights(account)}</dd><dt>Sessions</dt><dd>${sessions}</dd><dt>Last used</dt>
            <dd>${last(account)}</dd>
            </dl>
          <div class="actions">${action(
            visit,
            `${at(account)}/reviewer`,
            reviewer ? 'End the right to review' : 'Let this person review games',
            hidden('reviewer', reviewer ? '' : 'yes'),
          )}
            ${
              sessions > 0 &&
              html`<a class="button danger small" href="${at(account)}/end-sessions">End its sessions</a>`
            }
            ${
              suspended === 0n &&
              !isOwn &&
              html`<a class="button danger small" href="${at(account)}/suspend">Suspend</a>`
            }</div></section>
        <section class="card" aria-labelledby="studios"><h2 id="studios">Studios</h2>
          ${
            studios.length === 0
              ? html`<p class="muted">It belongs to none.</p>`
              : html`<ul class="plain">${studios.map(
                  ({ studioId, name, role }) =>
                    html`<li><a href="/operator/studios/${studioId}">${name}</a>
                    <span class="hint">${roleName(role)}</span></li>`,
                )}</ul>`
          }
          ${form(
            visit,
            `${at(account)}/may-own`,
            sent,
            [
              {
                name: 'studios',
                label: 'Studios that it may own',
                type: 'number',
                required: true,
                value: visit.form('studios') || String(mayOwn),
              },
              submit('Save', { className: 'quiet' }),
            ],
            'form apart',
          )}</section>
      </div>`,
    { trail, done, aside: html`${suspendedBadge(suspended)}` },
  )
}

export const suspendAccountPage = (visit: WithAccount, account: OperatedAccount): Html =>
  questionPage(visit, {
    title: `Suspend ${account.email}`,
    text: html`<ul><li>${counted(account.sessions, 'session')} of the account end now, and nobody can sign
      in to it.</li>
        <li>Its studios go on: other members work for them, and their games run.</li>
        <li>Nothing is deleted. Lifting the suspension lets the person sign in again.</li></ul>`,
    action: `${at(account)}/suspend`,
    button: 'Suspend the account',
    back: at(account),
    trail: [...trail, { href: at(account), text: account.email }],
  })

export const endSessionsPage = (visit: WithAccount, account: OperatedAccount): Html =>
  questionPage(visit, {
    title: `End the sessions of ${account.email}`,
    text: html`<p>${counted(account.sessions, 'session')} end now, on every device. The person can sign in again with
      the same password.
      ${
        visit.account.accountId === account.accountId &&
        html`<strong>This is your own account: you are signed out, too.</strong>`
      }</p>`,
    action: `${at(account)}/end-sessions`,
    button: 'End all sessions',
    back: at(account),
    trail: [...trail, { href: at(account), text: account.email }],
  })
