import { html, paragraphs, type Html } from '../../../web/html.ts'
import { toMember } from '../../../web/failure.ts'
import { allLanguages } from '../../../web/say.ts'
import { isAtSchool, sayToMember, type WithAccount } from '../../../web/visit.ts'
import { accountTabs } from './account-tabs.ts'
import { form, newPassword, password, postForm, submit } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { zoneField } from '../../parts/zone-field.ts'
import { ownStudios } from './own-studios.ts'
import type { Sent } from '../../parts/form.ts'

/** The account. The public profile of the studio has its own page. `usage`: the bars of the quotas. */
export function accountPage(visit: WithAccount, usage: Html | undefined, sent: Sent = {}, done?: string): Html {
  const { email, name, zone, language, reviewer, admin, studio, suspended, suspendedNote } = visit.account
  const say = sayToMember(visit)
  const { beside, only, failure, values } = sent
  const isPassword = visit.request.path === '/account/password'
  const told = { values, failure: failure && toMember(say, failure, { current_password: 'failed.own_password' }) }
  return layout(
    visit,
    say.text('account.title'),
    html`
      ${suspended && html`<div class="notice bad"><p>${say('account.suspended')}</p>${paragraphs(suspendedNote)}</div>`}
      <div class="halves">
        <section class="card" aria-labelledby="identity"><h2 id="identity">${say('account.you')}</h2>
          <dl class="facts">
            <dt>${say('account.mail')}</dt><dd>${email}</dd>
            ${!studio && suspended && html`<dt>Studio</dt><dd>Suspended</dd>`}
            ${
              (reviewer || admin) &&
              html`<dt>Rights</dt><dd>May ${
                reviewer && html`<a href="/reviews">review games</a> of all studios`
              }${reviewer && admin && ' and '}${admin && html`use the <a href="/operator">pages of operators</a>`}</dd>`
            }
          </dl>
          ${form(visit, '/account', isPassword ? {} : told, [
            {
              name: 'name',
              label: say.text('account.name'),
              hint: say.text('account.nameHint'),
              note: say.text('class.optional'),
              value: name,
              maxLength: 100,
              autocomplete: 'name',
            },
            {
              ...zoneField,
              label: say.text('account.zone'),
              hint: say.text('account.zoneHint'),
              note: say.text('account.zoneNote'),
              value: zone,
            },
            {
              name: 'language',
              label: say.text('account.mailLanguage'),
              required: true,
              value: language || say.language,
              of: allLanguages().map((one) => ({ value: one.language, text: one.text('language.name') })),
            },
            submit(say('account.save')),
          ])}
          ${beside}
          <h3 class="apart">${say('account.elsewhere')}</h3>
          <p class="muted">${say('account.endAll')}</p>
          ${postForm(visit, '/account/sign-out-everywhere', submit(say('account.endAllButton'), { className: 'quiet' }))}
        </section>
        ${
          !only &&
          html`<section class="card" aria-labelledby="change"><h2 id="change">${say('account.changePassword')}</h2>
          ${form(visit, '/account/password', isPassword ? told : {}, [
            html`<input type="text" name="email" value="${email}" autocomplete="username" hidden>`,
            { ...password(say.text('account.current')), name: 'current_password' },
            { ...newPassword(say.text('account.newPassword'), ''), hint: say.text('account.newHint') },
            submit(say('account.changePassword')),
          ])}
        </section>`
        }
      </div>
      ${ownStudios(visit)}
      ${usage}
      <hr><div class="actions"><a class="button danger" href="/account/delete">${say('account.delete')}</a></div>`,
    { done, styles: ['account.css'], tabs: accountTabs(visit, '/account'), inLanguage: isAtSchool(visit) },
  )
}
