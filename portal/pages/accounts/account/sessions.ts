import type { Failure } from '../../../../gen/lrs/v1/failure_pb.js'
import type { SignInSession } from '../../../../gen/lrs/v1/sign_in_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { WithAccount } from '../../../web/visit.ts'
import { accountTabs } from './account-tabs.ts'
import { moment } from '../../parts/amount.ts'
import { postForm, button, hidden, problem } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'

/** Where the account is signed in. */
export function sessionsPage(
  visit: WithAccount,
  sessions: readonly SignInSession[],
  { failure, done }: { failure?: Failure; done?: string } = {},
): Html {
  return layout(
    visit,
    'Sessions',
    html`${problem(failure)}
      <div class="table"><table class="stack">
        <caption class="visually-hidden">Sessions, the one used last first</caption>
        <thead><tr><th scope="col">Device</th><th scope="col">Signed in</th><th scope="col">Last used</th>
        <th scope="col"><span class="visually-hidden">What you can do</span></th></tr></thead>
        <tbody>${sessions.map((session) => row(visit, session))}</tbody>
      </table></div>
      <p class="hint apart">A session ends after 30 days without use, and 180 days after it began. The time of the last
      use is stored once an hour.</p>
      ${
        sessions.length > 1 &&
        html`<div class="actions">${postForm(
          visit,
          '/account/sessions/end-others',
          html`<button class="danger">End all others</button>`,
        )}</div>`
      }`,
    {
      done,
      tabs: accountTabs(visit, '/account/sessions'),
      lead: 'Where your account is signed in. If you do not know a session, end it and change your password.',
      styles: ['account.css'],
    },
  )
}

const row = (visit: WithAccount, { sessionId, device, own, created, lastUsed }: SignInSession): Html => {
  const name = device || 'Unknown device'
  return html`<tr><th scope="row">${name}${own && html` <span class="badge good">This one</span>`}</th>
          <td data-heading="Signed in">${moment(created)}</td><td data-heading="Last used">${moment(lastUsed)}</td>
          <td data-heading="">${
            !own &&
            button(visit, '/account/sessions/end', 'End', {
              about: `the session of ${name}`,
              fields: hidden('session', sessionId),
            })
          }</td></tr>`
}
