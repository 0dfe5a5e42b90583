import type { Failure } from '../../../../gen/lrs/v1/failure_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { postForm, hidden, field, problem, submit, password } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { mayHavePasskeys, passkeyForm } from './passkeys.ts'

/** What the account has, and where the visitor wants to go. */
export interface SecondStep {
  readonly totp: boolean
  readonly passkey: boolean
  readonly next: string
}

/** The field for codes of both kinds. */
export const codeField = (totp: boolean, failure?: Failure): Html =>
  field({
    name: 'code',
    label: totp ? 'Code' : 'Recovery code',
    hint: totp ? 'Six digits of your authenticator app, or a recovery code.' : 'Each one works once.',
    autocomplete: 'one-time-code',
    required: true,
    maxLength: 64,
    failure,
  })

/** Between the right password and the session. */
export function secondStepPage(visit: Visit, { totp, passkey, next }: SecondStep, failure?: Failure): Html {
  const onward = html`<input type="hidden" name="next" value="${next}"><input type="hidden" name="totp"
      value="${totp && 'yes'}"><input type="hidden" name="has_passkey" value="${passkey && 'yes'}">`
  const byPasskey = passkey && mayHavePasskeys(visit)
  return layout(
    visit,
    'Second step',
    html`<div class="card">
      ${problem(failure, { code: totp ? 'Code' : 'Recovery code', passkey: 'Passkey' })}
      ${
        byPasskey &&
        html`${passkeyForm(visit, {
          kind: 'get',
          action: '/sign-in/second',
          options: '/sign-in/second/options',
          text: 'Use a passkey',
          content: onward,
        })}<hr>`
      }
      ${postForm(
        visit,
        '/sign-in/second',
        html`${onward}${codeField(totp, failure)}${submit('Sign in', { className: byPasskey ? 'quiet' : '' })}`,
      )}
      </div>
      <p class="beside"><a href="/sign-in">Start again</a>. Lost your second factor and all recovery codes? The operator
      of this service can reset them.</p>`,
    {
      width: 'narrow',
      lead: 'The password is right. Your account also asks for a second factor.',
      styles: ['account.css'],
      scripts: byPasskey ? ['passkey.js'] : [],
    },
  )
}

/** Asks again who it is, before something changes that signs in later. */
export function confirmPage(
  visit: Visit,
  { totp, passkey, next, hasPassword, hasFactor }: SecondStep & { hasPassword: boolean; hasFactor: boolean },
  failure?: Failure,
): Html {
  const onward = hidden('next', next)
  const byPasskey = passkey && mayHavePasskeys(visit)
  return layout(
    visit,
    'Confirm that it is you',
    html`<div class="card">
      ${problem(failure, { code: totp ? 'Code' : 'Recovery code', passkey: 'Passkey', password: 'Password' })}
      ${
        byPasskey &&
        html`${passkeyForm(visit, {
          kind: 'get',
          action: '/account/confirm',
          options: '/account/confirm/options',
          text: 'Use a passkey',
          content: onward,
        })}<hr>`
      }
      ${
        hasFactor
          ? postForm(
              visit,
              '/account/confirm',
              html`${onward}${codeField(totp, failure)}${submit('Confirm', { className: byPasskey ? 'quiet' : '' })}`,
            )
          : hasPassword
            ? postForm(
                visit,
                '/account/confirm',
                html`${onward}${field({ ...password('Password'), failure })}${submit('Confirm')}`,
              )
            : html`<p>Your account has neither a password nor a second factor: sign out, and sign in again.</p>`
      }</div>`,
    {
      width: 'narrow',
      lead: 'You are about to change how you sign in, or to make a token. A confirmation is valid for 15 minutes.',
      styles: ['account.css'],
      scripts: byPasskey ? ['passkey.js'] : [],
    },
  )
}
