import { OrganisationKind } from '../../../../gen/lrs/v1/members_pb.js'
import { toLearner, toMember } from '../../../web/failure.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Say } from '../../../web/say.ts'
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

const mail = (say: Say) =>
  ({
    name: 'email',
    label: say.text('account.email'),
    type: 'email',
    autocomplete: 'username',
    required: true,
    maxLength: 254,
  }) as const
const query = (next: string): string => (next === '' ? '' : `?next=${encodeURIComponent(next)}`)
/** A tag of a text that leads to a page. */
const to = (href: string) => (parts: (string | Html)[]) => html`<a href="${href}">${parts}</a>`
const translated = ({ say }: Visit, { failure, ...sent }: Sent): Sent => ({
  ...sent,
  failure: failure && toMember(say, failure),
})

/** @param next the page that is wanted after that; empty: the games */
export function signInPage(visit: Visit, next: string, sent: Sent = {}, done?: string): Html {
  const { say } = visit
  const { failure, beside, only } = translated(visit, sent)
  const lead = next === '' || failure ? undefined : say.text('account.signInLead')
  const options = { inLanguage: true, width: 'narrow', lead, done, styles: ['account.css'] } as const
  if (only)
    return layout(
      visit,
      say.text('account.signIn'),
      html`${problem(failure)}${
        beside ??
        html`<div class="card empty"><h2>${say('account.notYet')}</h2><p>${say('account.noProvider')}</p></div>`
      }`,
      options,
    )
  return layout(
    visit,
    say.text('account.signIn'),
    html`<div class="card">${form(visit, '/sign-in', translated(visit, sent), [
      hidden('next', next),
      mail(say),
      password(say.text('account.password')),
      submit(say('account.signIn')),
    ])}${mayHavePasskeys(visit) && passkeySignIn(visit, next)}</div>${beside}
      <p class="beside">${say('account.noneYet', {
        studio: to(`/sign-up${query(next)}`),
        school: to(`/sign-up${query(next)}${next === '' ? '?' : '&'}as=teacher`),
        reset: to('/reset'),
      })}</p>`,
    { ...options, scripts: ['passkey.js'] },
  )
}

const passkeySignIn = (visit: Visit, next: string): Html => html`
      <hr>${passkeyForm(visit, {
        kind: 'get',
        action: '/sign-in/passkey',
        options: '/sign-in/passkey/options',
        text: visit.say.text('account.passkey'),
        withoutScript: visit.say.text('account.passkeyScript'),
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
  const { say } = visit
  const isInvited = invitationIn(next) !== ''
  return layout(
    visit,
    say.text(isInvited ? 'account.signUp' : 'account.open'),
    html`<div class="card">${form(visit, '/sign-up', translated(visit, sent), [
      hidden('next', next),
      !isInvited && {
        ...studioName,
        label: say.text('account.studioName'),
        hint: say.text('account.studioNameHint'),
      },
      { ...mail(say), hint: say.text(isInvited ? 'account.emailInvited' : 'account.emailHint') },
      { ...newPassword(say.text('account.password'), ''), hint: say.text('school.passwordHint') },
      submit(say(isInvited ? 'account.signUp' : 'account.openButton')),
    ])}</div>
      <p class="beside">${say('account.hasAccount', { signIn: to(`/sign-in${query(next)}`) })}${
        !isInvited && html` ${say('account.teach', { school: to('/sign-up?as=teacher') })}`
      }</p>`,
    {
      inLanguage: true,
      width: 'narrow',
      lead: say.text(isInvited ? 'account.invitedLead' : 'account.signUpLead'),
      styles: ['account.css'],
    },
  )
}

/** The same for teachers, in their language. A teacher alone is a small school. */
function teacherSignUpPage(visit: Visit, next: string, { failure, ...sent }: Sent): Html {
  const { say } = visit
  const onward = next === '' ? '/classes' : next
  return layout(
    visit,
    say.text('school.open'),
    html`<div class="card">${form(visit, '/sign-up', { ...sent, failure: failure && toLearner(say, failure) }, [
      hidden('next', onward),
      hidden('as', 'teacher'),
      schoolName(say),
      { ...mail(say), label: say.text('school.mail'), hint: say.text('school.mailHint') },
      { ...newPassword(say.text('school.password'), ''), hint: say.text('school.passwordHint') },
      submit(say('school.openButton')),
    ])}</div>
      <p class="hint">${say('school.hasAccount', { signIn: to(`/sign-in${query(onward)}`) })}</p>`,
    { width: 'narrow', lead: say.text('school.lead'), forLearners: true, styles: ['account.css'] },
  )
}
