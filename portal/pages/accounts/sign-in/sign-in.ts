import { OrganisationKind } from '../../../../gen/lrs/v1/members_pb.js'
import { toLearner } from '../../../web/failure.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Form, Visit } from '../../../web/visit.ts'
import {
  form,
  hidden,
  newPassword,
  password,
  problem,
  schoolName,
  studioName,
  submit,
  type Sent,
} from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { mayHavePasskeys, passkeyForm } from './passkeys.ts'

const mail = {
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  autocomplete: 'username',
  required: true,
  maxLength: 254,
} as const
const query = (next: string): string => (next === '' ? '' : `?next=${encodeURIComponent(next)}`)

/** @param next the page that is wanted after that; empty: the games */
export function signInPage(visit: Visit, next: string, sent: Sent = {}, done?: string): Html {
  const { failure, beside, only } = sent
  const lead = next === '' || failure ? undefined : 'After that, you continue to the page that you asked for.'
  if (only)
    return layout(
      visit,
      'Sign in',
      html`${problem(failure)}${
        beside ??
        html`<div class="card empty"><h2>Not possible yet</h2><p>The operator of this service has to add a sign-in
        provider first.</p></div>`
      }`,
      { width: 'narrow', lead, done, styles: ['account.css'] },
    )
  return layout(
    visit,
    'Sign in',
    html`<div class="card">${form(visit, '/sign-in', sent, [
      hidden('next', next),
      mail,
      password('Password'),
      submit('Sign in'),
    ])}${mayHavePasskeys(visit) && passkeySignIn(visit, next)}</div>${beside}
      <p class="beside">No account yet? <a href="/sign-up${query(next)}">Open a studio</a>, or <a
      href="/sign-up${query(next)}${next === '' ? '?' : '&'}as=teacher">a school</a>. <a href="/reset">Forgot your
      password?</a></p>`,
    { width: 'narrow', lead, done, styles: ['account.css'], scripts: ['passkey.js'] },
  )
}

const passkeySignIn = (visit: Visit, next: string): Html => html`
      <hr>${passkeyForm(visit, {
        kind: 'get',
        action: '/sign-in/passkey',
        options: '/sign-in/passkey/options',
        text: 'Sign in with a passkey',
        className: 'quiet',
        content: hidden('next', next),
      })}`

/** The code of the invitation to a studio that the next page is about; empty: it is about something else. */
export const invitationIn = (next: string): string => /^\/members\/join\?code=([\w-]{1,200})$/.exec(next)?.[1] ?? ''

/** Who teaches opens a school. */
export const kindIn = (form: Form): OrganisationKind =>
  form('as') === 'teacher' ? OrganisationKind.SCHOOL : OrganisationKind.STUDIO

export function signUpPage(visit: Visit, next: string, sent: Sent = {}): Html {
  if ((sent.values ?? visit.query)('as') === 'teacher') return teacherSignUpPage(visit, next, sent)
  const isInvited = invitationIn(next) !== ''
  return layout(
    visit,
    isInvited ? 'Sign up' : 'Open a studio',
    html`<div class="card">${form(visit, '/sign-up', sent, [
      hidden('next', next),
      !isInvited && studioName,
      {
        ...mail,
        hint: `You sign in with it. ${
          isInvited ? 'Members of your studio see it, players never do.' : 'Players never see it.'
        }`,
      },
      newPassword('Password', 'Several words in a row are safe and easy to remember.'),
      submit(isInvited ? 'Sign up' : 'Open the studio'),
    ])}</div>
      <p class="beside">Already have an account? <a href="/sign-in${query(next)}">Sign in</a>.${
        !isInvited && html` Do you teach? <a href="/sign-up?as=teacher">Open a school</a>.`
      }</p>`,
    {
      width: 'narrow',
      lead: isInvited
        ? 'After that, you continue to the invitation.'
        : 'You can add a game, upload a build and try it right away, and invite others to your studio.',
      styles: ['account.css'],
    },
  )
}

/** The same for teachers, in their language. A teacher alone is a small school. */
function teacherSignUpPage(visit: Visit, next: string, { failure, ...sent }: Sent): Html {
  const { say } = visit
  const to = next === '' ? '/classes' : next
  return layout(
    visit,
    say.text('school.open'),
    html`<div class="card">${form(visit, '/sign-up', { ...sent, failure: failure && toLearner(say, failure) }, [
      hidden('next', to),
      hidden('as', 'teacher'),
      schoolName(say),
      { ...mail, label: say.text('school.mail'), hint: say.text('school.mailHint') },
      { ...newPassword(say.text('school.password'), ''), hint: say.text('school.passwordHint') },
      submit(say('school.openButton')),
    ])}</div>
      <p class="hint">${say('school.hasAccount', { signIn: (parts) => html`<a href="/sign-in${query(to)}">${parts}</a>` })}</p>`,
    { width: 'narrow', lead: say.text('school.lead'), forLearners: true, styles: ['account.css'] },
  )
}
