import { html, paragraphs, type Html } from '../../../web/html.ts'
import type { WithAccount } from '../../../web/visit.ts'
import { accountTabs } from './account-tabs.ts'
import { form, newPassword, password, postForm, submit } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { zoneField } from '../../parts/zone-field.ts'
import { ownStudios } from './own-studios.ts'
import type { Sent } from '../../parts/form.ts'

/** The account. The public profile of the studio has its own page. `usage`: the bars of the quotas. */
export function accountPage(visit: WithAccount, usage: Html | undefined, sent: Sent = {}, done?: string): Html {
  const { email, name, zone, reviewer, admin, studio, suspended, suspendedNote } = visit.account
  const { beside, only } = sent
  const isPassword = visit.request.path === '/account/password'
  return layout(
    visit,
    'Account',
    html`
      ${
        suspended &&
        html`<div class="notice bad"><p><strong>Your studio is suspended by the operator of this service.</strong> Its
        data stays, but nobody can work for it.</p>${paragraphs(suspendedNote)}</div>`
      }
      <div class="halves">
        <section class="card" aria-labelledby="identity"><h2 id="identity">You</h2>
          <dl class="facts">
            <dt>E-mail</dt><dd>${email}</dd>
            ${!studio && suspended && html`<dt>Studio</dt><dd>Suspended</dd>`}
            ${
              (reviewer || admin) &&
              html`<dt>Rights</dt><dd>May ${
                reviewer && html`<a href="/reviews">review games</a> of all studios`
              }${reviewer && admin && ' and '}${admin && html`use the <a href="/operator">pages of operators</a>`}</dd>`
            }
          </dl>
          ${form(visit, '/account', isPassword ? {} : sent, [
            {
              name: 'name',
              label: 'Your name',
              hint: 'Members of your studios see it above your address.',
              value: name,
              maxLength: 100,
              autocomplete: 'name',
            },
            {
              ...zoneField,
              hint: 'For times on these pages, such as Europe/Berlin. Charts use the zone of the studio.',
              note: 'empty: that of the browser',
              value: zone,
            },
            submit('Save'),
          ])}
          ${beside}
          <h3 class="apart">Signed in elsewhere?</h3>
          <p class="muted">End every session of the account, on every device, this one too.</p>
          ${postForm(visit, '/account/sign-out-everywhere', submit('Sign out everywhere', { className: 'quiet' }))}
        </section>
        ${
          !only &&
          html`<section class="card" aria-labelledby="change"><h2 id="change">Change the password</h2>
          ${form(visit, '/account/password', isPassword ? sent : {}, [
            html`<input type="text" name="email" value="${email}" autocomplete="username" hidden>`,
            { ...password('Current password'), name: 'current_password' },
            newPassword(
              'New password',
              'All your other sessions end. Personal tokens go on: end them under Personal tokens.',
            ),
            submit('Change the password'),
          ])}
        </section>`
        }
      </div>
      ${ownStudios(visit)}
      ${usage}
      <hr><div class="actions"><a class="button danger" href="/account/delete">Delete the account</a></div>`,
    { done, styles: ['account.css'], tabs: accountTabs(visit, '/account') },
  )
}
