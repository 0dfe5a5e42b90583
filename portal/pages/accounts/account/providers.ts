import type { Failure } from '../../../../gen/lrs/v1/failure_pb.js'
import type { ListProviderLinksResponse } from '../../../../gen/lrs/v1/providers_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { WithAccount } from '../../../web/visit.ts'
import { accountTabs } from './account-tabs.ts'
import { moment } from '../../parts/amount.ts'
import { postForm, button, field, problem, password } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'

/** The providers with which an account signs in, and those that it could link. */
export function linksPage(
  visit: WithAccount,
  { links, others, hasPassword }: ListProviderLinksResponse,
  { failure, done }: { failure?: Failure; done?: string } = {},
): Html {
  const empty = links.length === 0 && others.length === 0
  return layout(
    visit,
    'Sign in with a provider',
    html`
      ${problem(failure, { password: 'Password' })}
      ${
        links.length > 0 &&
        html`<section aria-labelledby="linked"><h2 id="linked">Linked</h2>${linked(visit, links)}</section>`
      }
      ${
        others.length > 0 &&
        html`<section class="card apart" aria-labelledby="link"><h2 id="link">Link a provider</h2>
        <p class="muted">You sign in there once. After that, it lets you in here.</p>
        ${postForm(
          visit,
          '/account/providers',
          html`<input type="text" name="email" value="${visit.account.email}" autocomplete="username" hidden>
          ${
            hasPassword &&
            field({
              ...password('Password'),
              hint: 'The one of this account, not that of the provider.',
              failure,
            })
          }
          <div class="actions">${others.map(
            ({ name, label }) => html`<button name="provider" value="${name}" class="quiet">Link ${label}</button>`,
          )}</div>`,
        )}</section>`
      }
      ${
        empty &&
        html`<div class="card empty"><p class="muted">This service offers no providers. You sign in with your
        password.</p></div>`
      }
      ${
        !empty &&
        html`<p class="beside">“Sign out” ends the session here. At the provider you stay signed in until you sign out
        there, too.</p>`
      }`,
    { done, tabs: accountTabs(visit, '/account/security'), styles: ['account.css'] },
  )
}

const linked = (visit: WithAccount, links: ListProviderLinksResponse['links']): Html =>
  html`<div class="table"><table class="stack"><thead><tr><th scope="col">Provider</th><th scope="col">You there</th>
      <th scope="col">Linked</th><th scope="col">Used last</th><th scope="col"><span class="visually-hidden">Remove
      it</span></th></tr></thead>
      <tbody>${links.map(
        ({ provider, person, created, lastUsed, last }) => html`<tr><th scope="row">${provider!.label}</th>
        <td data-heading="You there">${person}</td><td data-heading="Linked">${moment(created)}</td>
        <td data-heading="Used last">${lastUsed > 0n ? moment(lastUsed) : 'never'}</td>
        <td>${
          last
            ? html`<span class="muted">Your only way to sign in</span>`
            : button(visit, `/account/providers/${provider!.name}/remove`, 'Remove', { about: provider!.label })
        }</td></tr>`,
      )}</tbody></table></div>`
