import type { Failure } from '../../../../gen/lrs/v1/failure_pb.js'
import type { GetSignInSettingsResponse, Passkey } from '../../../../gen/lrs/v1/sign_in_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { WithAccount } from '../../../web/visit.ts'
import { accountTabs } from './account-tabs.ts'
import { counted, moment } from '../../parts/amount.ts'
import { postForm, button, form, field, problem, submit, type Sent } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { mayHavePasskeys, passkeyForm } from '../sign-in/passkeys.ts'

const here = '/account/security'

/** The second factors of an account. */
export function securityPage(
  visit: WithAccount,
  settings: GetSignInSettingsResponse,
  { failure, done, beside }: { failure?: Failure; done?: string; beside?: Html | undefined } = {},
): Html {
  const { totp, passkeys, needed, fresh } = settings
  const hasFactor = totp || passkeys.length > 0
  const state = hasFactor
    ? html`<span class="badge good">Second factor on</span>`
    : html`<span class="badge">Password only</span>`
  return layout(
    visit,
    'Sign-in and security',
    html`
      ${
        needed &&
        !hasFactor &&
        html`<p class="notice warn">This service asks you for a second factor, because of what your account may do.
        Set one up here: until then you cannot do anything else.</p>`
      }
      ${problem(failure, { name: 'Name of the passkey', passkey: 'Passkey' })}
      <div class="halves">
        ${appCard(visit, settings)}
        ${passkeyCard(visit, settings, failure)}
      </div>
      ${hasFactor && codesCard(visit, settings)}
      ${beside}`,
    {
      done,
      aside: state,
      tabs: accountTabs(visit, here),
      lead: 'A second factor keeps your account safe when somebody learns your password.',
      styles: ['account.css'],
      scripts: fresh ? ['passkey.js'] : [],
    },
  )
}

/** The button of what needs a fresh sign-in: it asks for the password, or a second factor, and leads back. */
const confirmFirst = (text: string, className = '', next = here, about = ''): Html =>
  html`<p class="actions"><a class="button ${className}" href="/account/confirm?next=${next}">${text}${
    about !== '' && html`<span class="visually-hidden"> ${about}</span>`
  }…</a></p>`

const appCard = (visit: WithAccount, { totp, mayHaveTotp, fresh }: GetSignInSettingsResponse): Html => html`
        <section class="card" aria-labelledby="app"><h2 id="app">Authenticator app</h2>
          <p>An app on your phone shows a code of six digits, and signing in asks for it.</p>
          ${
            totp
              ? html`<p><span class="badge good">Set up</span></p>${
                  fresh
                    ? postForm(visit, `${here}/app/remove`, submit('Remove the app', { className: 'danger' }))
                    : confirmFirst('Remove the app', 'danger')
                }`
              : !mayHaveTotp
                ? html`<p class="muted">Not possible yet: the operator of this service has to set the keys that protect
                its secret.</p>`
                : fresh
                  ? html`<p class="actions"><a class="button" href="${here}/app">Set up an app</a></p>`
                  : confirmFirst('Set up an app', '', `${here}/app`)
          }
        </section>`

const passkeyCard = (visit: WithAccount, { passkeys, fresh }: GetSignInSettingsResponse, failure?: Failure): Html => {
  const name = field({
    name: 'name',
    label: 'Name of the passkey',
    hint: 'Such as “My phone”.',
    required: true,
    maxLength: 60,
    failure,
  })
  return html`
        <section class="card" aria-labelledby="passkeys"><h2 id="passkeys">Passkeys</h2>
          <p>Your phone, computer or security key signs you in, with your finger, face or its PIN: as second factor, or
          without the password.</p>
          ${
            passkeys.length > 0 &&
            html`<ul class="keys">${passkeys.map((passkey) => listed(visit, passkey, fresh))}</ul>`
          }
          ${
            !mayHavePasskeys(visit)
              ? html`<p class="muted">Not possible at this address: browsers have passkeys only on https.</p>`
              : fresh
                ? passkeyForm(visit, {
                    kind: 'create',
                    action: `${here}/passkeys`,
                    options: `${here}/passkeys/options`,
                    text: 'Add a passkey',
                    content: name,
                  })
                : confirmFirst('Add a passkey')
          }
        </section>`
}

const listed = (visit: WithAccount, { passkeyId, name, created, lastUsed }: Passkey, fresh: boolean): Html => html`
            <li><div><strong>${name}</strong>
              <p class="hint">Added ${moment(created)}.${
                lastUsed > 0n ? html` Last used ${moment(lastUsed)}.` : ' Not used yet.'
              }</p></div>
              ${
                fresh
                  ? button(visit, `${here}/passkeys/${passkeyId}/remove`, 'Remove', {
                      about: name,
                      className: 'danger small',
                    })
                  : confirmFirst('Remove', 'danger small', here, name)
              }</li>`

const codesCard = (visit: WithAccount, { recoveryCodes, fresh }: GetSignInSettingsResponse): Html => html`
      <section class="card" aria-labelledby="codes"><h2 id="codes">Recovery codes</h2>
        <p>If you lose your phone or passkey, each code signs you in once in place of the second factor.
        ${
          recoveryCodes === 0
            ? html`<strong>None is left.</strong>`
            : html`${counted(recoveryCodes, 'code is', 'codes are')} left.`
        }</p>
        ${
          fresh
            ? postForm(
                visit,
                `${here}/codes`,
                submit('Make new codes', {
                  className: 'quiet',
                  beside: html`<span class="hint">The old ones end.</span>`,
                }),
              )
            : confirmFirst('Make new codes', 'quiet')
        }
      </section>`

/** Sets up an authenticator app. @param qr an SVG */
export const appPage = (visit: WithAccount, { secret, qr }: { secret: string; qr: Html }, sent: Sent = {}): Html =>
  layout(
    visit,
    'Set up an authenticator app',
    html`<div class="card">
      <ol class="plain">
        <li><p>Install an authenticator app on your phone, such as Aegis, 2FAS, Google Authenticator or the one of your
        password manager.</p></li>
        <li><p>Scan this picture with it, or type the key.</p>
          <div class="qr">${qr}</div>
          <p>Key <code>${secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code></p></li>
        <li>${form(visit, `${here}/app`, sent, [
          {
            name: 'code',
            label: 'Code',
            hint: 'The six digits that the app shows now.',
            autocomplete: 'one-time-code',
            required: true,
            maxLength: 64,
          },
          submit('Confirm', { beside: html`<a href="${here}">Cancel</a>` }),
        ])}</li>
      </ol></div>`,
    { width: 'narrow', styles: ['account.css'], trail: [{ href: here, text: 'Sign-in and security' }] },
  )

/** New recovery codes, for the only time. */
export const codesPage = (visit: WithAccount, codes: readonly string[]): Html =>
  layout(
    visit,
    'Your recovery codes',
    html`<div class="card">
      <p>Each code signs you in once when you have lost your phone or passkey. <strong>They are shown only now.</strong>
      Print them, or keep them in a password manager.</p>
      <pre id="recovery" tabindex="0" aria-label="Recovery codes">${codes.join('\n')}</pre>
      <div class="actions"><a class="button" href="${here}">I have kept them</a>
        <button type="button" class="quiet" data-copy="recovery" hidden>Copy</button></div></div>`,
    {
      width: 'narrow',
      styles: ['account.css'],
      scripts: ['copy.js'],
      done: 'Every other session of your account that began without the second factor has ended.',
    },
  )
