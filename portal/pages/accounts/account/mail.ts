import type { ListNoticeKindsResponse } from '../../../../gen/lrs/v1/notices_pb.js'
import { html, type Html } from '../../../web/html.ts'
import { toMember } from '../../../web/failure.ts'
import { isAtSchool, sayToMember, type Visit, type WithAccount } from '../../../web/visit.ts'
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
  const say = sayToMember(visit)
  return layout(
    visit,
    say.text('account.mail'),
    html`
      ${!on && html`<p class="notice">${say('account.mailsOff', { news })}</p>`}
      <div class="halves">
        ${address(visit, on, sent)}
        ${on && html`<div>${notices.weekly !== undefined && !isAtSchool(visit) && weekly(visit, notices.weekly)}${kinds(visit, notices)}</div>`}
      </div>`,
    { done, tabs: accountTabs(visit, '/account/mail'), styles: ['account.css'], inLanguage: isAtSchool(visit) },
  )
}

/** The tag `news` of texts. */
const news = (parts: (string | Html)[]) => html`<a href="/notifications">${parts}</a>`

function address(visit: WithAccount, on: boolean, { failure, ...sent }: Sent): Html {
  const { email, verified } = visit.account
  const say = sayToMember(visit)
  const told = { ...sent, failure: failure && toMember(say, failure, { current_password: 'failed.own_password' }) }
  return html`<section class="card" aria-labelledby="address"><h2 id="address">${say('account.address')}</h2>
          <dl class="facts">
            <dt>${say('account.signsInWith')}</dt><dd>${email}</dd>
            ${
              on &&
              html`<dt>${say('account.verified')}</dt><dd>${
                verified
                  ? html`<span class="badge good">${say('account.yes')}</span>`
                  : html`<span class="badge warn">${say('account.no')}</span>`
              }</dd>`
            }
          </dl>
          ${
            on &&
            !verified &&
            html`<p class="muted">${say('account.unverified')}</p>${postForm(
              visit,
              '/account/mail/verify',
              submit(say('account.sendLink')),
            )}`
          }
          ${
            on
              ? html`<h3 class="apart">${say('account.otherAddress')}</h3>${form(visit, '/account/mail/address', told, [
                  {
                    name: 'email',
                    label: say.text('account.otherAddressField'),
                    hint: say.text('account.otherAddressHint'),
                    type: 'email',
                    autocomplete: 'email',
                    required: true,
                    maxLength: 254,
                  },
                  {
                    ...password(say.text('account.current')),
                    name: 'current_password',
                    required: false,
                    note: say.text('account.noPasswordNote'),
                  },
                  submit(say('account.sendTheLink')),
                ])}`
              : html`<p class="muted">${say('account.addressFixed')}</p>`
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

const kinds = (visit: WithAccount, { kinds }: ListNoticeKindsResponse): Html => {
  const say = sayToMember(visit)
  const isSchool = isAtSchool(visit)
  return html`<section class="card" aria-labelledby="kinds"><h2 id="kinds">${say('account.mails')}</h2>
          <p class="muted">${say('account.mailsAlso', { news })}</p>
          ${postForm(
            visit,
            '/account/mail/kinds',
            html`<ul class="kinds">${kinds.map(
              ({ kind, title, about, always, muted }) =>
                html`<li><label><input type="checkbox" name="${kind}"
                value="on"${(always || !muted) && html` checked`}${always && html` disabled`}> ${isSchool ? say('account.kind', { kind }) : title}</label>
              <p class="hint">${isSchool ? say('account.kindAbout', { kind }) : about}${always && html` ${say('account.mailsAlways')}`}</p></li>`,
            )}</ul>
            ${submit(say('account.save'))}`,
          )}
        </section>`
}
