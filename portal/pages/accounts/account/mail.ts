import type { ListNoticeKindsResponse } from '../../../../gen/lrs/v1/notices_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Visit, WithAccount } from '../../../web/visit.ts'
import { accountTabs } from './account-tabs.ts'
import { form, password, postForm, submit } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import type { Sent } from '../../parts/form.ts'

/** The e-mail address of an account, and which mails it gets. @param on mails are sent */
export function mailPage(
  visit: WithAccount,
  on: boolean,
  notices: ListNoticeKindsResponse,
  sent: Sent = {},
  done?: string,
): Html {
  return layout(
    visit,
    'E-mail',
    html`
      ${
        !on &&
        html`<p class="notice">This service sends no mails. Your <a href="/notifications">notifications</a> are in the
        header. The operator can give you a new password.</p>`
      }
      <div class="halves">
        ${address(visit, on, sent)}
        ${on && html`<div>${notices.weekly !== undefined && weekly(visit, notices.weekly)}${kinds(visit, notices)}</div>`}
      </div>`,
    { done, tabs: accountTabs(visit, '/account/mail'), styles: ['account.css'] },
  )
}

const address = (visit: WithAccount, on: boolean, sent: Sent): Html => {
  const { email, verified } = visit.account
  return html`<section class="card" aria-labelledby="address"><h2 id="address">Address</h2>
          <dl class="facts">
            <dt>You sign in with</dt><dd>${email}</dd>
            ${
              on &&
              html`<dt>Verified</dt><dd>${
                verified ? html`<span class="badge good">Yes</span>` : html`<span class="badge warn">No</span>`
              }</dd>`
            }
          </dl>
          ${
            on &&
            !verified &&
            html`<p class="muted">Until the address is verified, it gets only mails with links, such as this
            one.</p>${postForm(visit, '/account/mail/verify', submit('Send me a link'))}`
          }
          ${
            on
              ? html`<h3 class="apart">Another address</h3>${form(visit, '/account/mail/address', sent, [
                  {
                    name: 'email',
                    label: 'New address',
                    hint: 'It gets a link. Until you use it, nothing changes.',
                    type: 'email',
                    autocomplete: 'email',
                    required: true,
                    maxLength: 254,
                  },
                  {
                    ...password('Current password'),
                    name: 'current_password',
                    required: false,
                    note: 'not needed if you have none',
                  },
                  submit('Send the link'),
                ])}`
              : html`<p class="muted">It cannot be changed here: that needs a mail to the new address.</p>`
          }
        </section>`
}

const weekly = (visit: WithAccount, isOn: boolean): Html =>
  html`<section class="card" aria-labelledby="weekly"><h2 id="weekly">A weekly mail</h2>
          <p class="muted">On Monday morning you get three sentences about each game of ${visit.account.studio?.name} that
          was played: how many players it had, where they are stuck, how many need help, and how many requests were
          refused. They name no learner.</p>
          ${postForm(
            visit,
            '/account/mail/weekly',
            html`<input type="hidden" name="on" value="${isOn ? '' : 'on'}">${submit(
              isOn ? 'Stop this mail' : 'Send me this mail',
              { className: isOn ? 'quiet' : '' },
            )}`,
          )}
        </section>`

/** Where the link in a weekly mail leads. @param done the mail has ended */
export const weeklyPage = (visit: Visit, code: string, done: boolean): Html =>
  layout(
    visit,
    'Weekly mail',
    html`<div class="card">${
      done
        ? html`<p>You no longer get this mail. You can turn it on again on the page <a
          href="/account/mail">E-mail</a> of your account.</p>`
        : html`<form method="post" action="/mail/weekly?${String(new URLSearchParams({ code }))}" class="form">
          <p>You get a mail about the week of your games on Monday mornings.</p>
          <input type="hidden" name="page" value="yes">${submit('Stop this mail')}</form>`
    }</div>`,
    { width: 'narrow', styles: ['account.css'] },
  )

const kinds = (visit: WithAccount, { kinds }: ListNoticeKindsResponse): Html =>
  html`<section class="card" aria-labelledby="kinds"><h2 id="kinds">Mails to you</h2>
          <p class="muted">All of these are also in your <a href="/notifications">notifications</a>.</p>
          ${postForm(
            visit,
            '/account/mail/kinds',
            html`<ul class="kinds">${kinds.map(
              ({ kind, title, about, always, muted }) =>
                html`<li><label><input type="checkbox" name="${kind}"
                value="on"${(always || !muted) && html` checked`}${always && html` disabled`}> ${title}</label>
              <p class="hint">${about}${always && ' These mails cannot be turned off.'}</p></li>`,
            )}</ul>
            ${submit('Save')}`,
          )}
        </section>`
