import type { Failure } from '../../../../gen/lrs/v1/failure_pb.js'
import { toMember } from '../../../web/failure.ts'
import { html, type Html } from '../../../web/html.ts'
import { inEnglish, type Say } from '../../../web/say.ts'
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
export const codeField = (say: Say, totp: boolean, failure?: Failure): Html =>
  field({
    name: 'code',
    label: say.text(totp ? 'account.code' : 'account.recoveryCode'),
    hint: say.text(totp ? 'account.codeHint' : 'account.recoveryHint'),
    autocomplete: 'one-time-code',
    required: true,
    maxLength: 64,
    failure,
  })

/** Between the right password and the session. */
export function secondStepPage(visit: Visit, { totp, passkey, next }: SecondStep, refused?: Failure): Html {
  const { say } = visit
  const failure = refused && toMember(say, refused, { code: 'failed.second', passkey: 'failed.second' })
  const onward = html`<input type="hidden" name="next" value="${next}"><input type="hidden" name="totp"
      value="${totp && 'yes'}"><input type="hidden" name="has_passkey" value="${passkey && 'yes'}">`
  const byPasskey = passkey && mayHavePasskeys(visit)
  return layout(
    visit,
    say.text('account.second'),
    html`<div class="card">
      ${problem(failure, { code: say.text(totp ? 'account.code' : 'account.recoveryCode'), passkey: 'Passkey' })}
      ${
        byPasskey &&
        html`${passkeyForm(visit, {
          kind: 'get',
          action: '/sign-in/second',
          options: '/sign-in/second/options',
          text: say.text('account.usePasskey'),
          withoutScript: say.text('account.passkeyScript'),
          content: onward,
        })}<hr>`
      }
      ${postForm(
        visit,
        '/sign-in/second',
        html`${onward}${codeField(say, totp, failure)}${submit(say('account.signIn'), { className: byPasskey ? 'quiet' : '' })}`,
      )}
      </div>
      <p class="beside">${say('account.lostFactor', { signIn: (parts) => html`<a href="/sign-in">${parts}</a>` })}</p>`,
    {
      inLanguage: true,
      width: 'narrow',
      lead: say.text('account.secondLead'),
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
              html`${onward}${codeField(inEnglish, totp, failure)}${submit('Confirm', { className: byPasskey ? 'quiet' : '' })}`,
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
