import { LinkPurpose, type GetLinkResponse } from '../../../../gen/lrs/v1/links_pb.js'
import { toMember } from '../../../web/failure.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { form, hidden, newPassword, password, submit } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import type { Sent } from '../../parts/form.ts'

const options = { inLanguage: true, width: 'narrow', styles: ['account.css'] } as const
const translated = ({ say }: Visit, { failure, ...sent }: Sent, own?: Parameters<typeof toMember>[2]): Sent => ({
  ...sent,
  failure: failure && toMember(say, failure, own),
})

/** The form that asks for a link to a new password. @param on mails are sent */
export function resetPage(visit: Visit, on: boolean, sent: Sent = {}): Html {
  const { say } = visit
  const title = say.text('account.forgot')
  if (!on)
    return layout(
      visit,
      title,
      html`<div class="card"><p>${say('account.noMails')}</p>
        <p class="actions"><a class="button quiet" href="/sign-in">${say('account.backToSignIn')}</a></p></div>`,
      options,
    )
  return layout(
    visit,
    title,
    html`<div class="card">${form(visit, '/reset', translated(visit, sent), [
      {
        name: 'email',
        label: say.text('account.email'),
        hint: say.text('account.emailSignIn'),
        type: 'email',
        autocomplete: 'username',
        required: true,
        maxLength: 254,
      },
      submit(say('account.sendLink')),
    ])}</div>
      <p class="beside"><a href="/sign-in">${say('account.backToSignIn')}</a></p>`,
    { ...options, lead: say.text('account.resetLead') },
  )
}

/** After a form that sends a link; the same whether there is an account. */
export const sentPage = (visit: Visit, what: 'sign-up' | 'reset', email: string): Html =>
  layout(
    visit,
    visit.say.text('account.look'),
    html`<div class="card"><p>${visit.say(what === 'reset' ? 'account.resetSent' : 'account.signUpSent', { email })}</p>
        <p class="muted">${visit.say('account.spam')}</p>
        <p class="actions"><a class="button quiet" href="${what === 'reset' ? '/reset' : '/sign-up'}">${visit.say('account.again')}</a></p></div>`,
    options,
  )

/** The page of a link in a mail. Nothing happens before the button is pressed: programs open links, too. */
export function linkPage(visit: Visit, code: string, { purpose, email }: GetLinkResponse, sent: Sent = {}): Html {
  const { say } = visit
  const isSignUp = purpose === LinkPurpose.SIGN_UP
  const told = translated(visit, sent, isSignUp ? { password: 'failed.own_password' } : {})
  const card = (parts: Parameters<typeof form>[3]) =>
    html`<div class="card">${form(visit, '/link', told, [hidden('code', code), ...parts])}</div>`
  const username = html`<input type="text" name="username" value="${email}" autocomplete="username" hidden>`
  if (purpose === LinkPurpose.PASSWORD)
    return layout(
      visit,
      say.text('account.choose'),
      card([
        username,
        { ...newPassword(say.text('account.newPassword'), ''), hint: say.text('school.passwordHint') },
        submit(say('account.setPassword')),
      ]),
      { ...options, lead: say('account.chooseLead', { email }) },
    )
  if (isSignUp)
    return layout(
      visit,
      say.text('account.confirm'),
      card([
        username,
        { ...password(say.text('account.password')), hint: say.text('account.confirmPassword') },
        submit(say('account.confirmButton')),
      ]),
      { ...options, lead: say('account.confirmLead', { email }) },
    )
  const isNew = purpose === LinkPurpose.NEW_ADDRESS
  const back = `?next=${encodeURIComponent(`/link?code=${code}`)}`
  return layout(
    visit,
    say.text(isNew ? 'account.newAddress' : 'account.verify'),
    isNew && !visit.account
      ? html`<div class="card"><p>${say('account.newAddressFirst')}</p>
        <p class="actions"><a class="button" href="/sign-in${back}">${say('account.signIn')}</a></p></div>`
      : card([submit(say(isNew ? 'account.newAddressButton' : 'account.verifyButton'))]),
    {
      ...options,
      lead: isNew ? say('account.newAddressLead', { email }) : html`<strong>${email}</strong>`,
    },
  )
}
