import { LinkPurpose, type GetLinkResponse } from '../../../../gen/lrs/v1/links_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { form, hidden, newPassword as chosen, password, submit } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import type { Sent } from '../../parts/form.ts'

const newPassword = chosen('New password', 'Several words in a row are safe and easy to remember.')
const options = { width: 'narrow', styles: ['account.css'] } as const

/** The form that asks for a link to a new password. @param on mails are sent */
export function resetPage(visit: Visit, on: boolean, sent: Sent = {}): Html {
  if (!on)
    return layout(
      visit,
      'Forgot your password?',
      html`<div class="card"><p>This service sends no mails. Ask its operator for a new password.</p>
        <p class="actions"><a class="button quiet" href="/sign-in">Back to the sign-in</a></p></div>`,
      options,
    )
  return layout(
    visit,
    'Forgot your password?',
    html`<div class="card">${form(visit, '/reset', sent, [
      {
        name: 'email',
        label: 'E-mail address',
        hint: 'The address that you sign in with.',
        type: 'email',
        autocomplete: 'username',
        required: true,
        maxLength: 254,
      },
      submit('Send me a link'),
    ])}</div>
      <p class="beside"><a href="/sign-in">Back to the sign-in</a></p>`,
    { ...options, lead: 'You get a mail with a link. It works once, for 30 minutes.' },
  )
}

/** After a form that sends a link; the same whether there is an account. */
export const sentPage = (visit: Visit, what: 'sign-up' | 'reset', email: string): Html =>
  layout(
    visit,
    'Look into your mailbox',
    html`<div class="card">
        ${
          what === 'reset'
            ? html`<p>If <strong>${email}</strong> has an account here, a mail with a link to a new password is on its
            way. The link works once, for 30 minutes.</p>`
            : html`<p>A mail is on its way to <strong>${email}</strong>. Open the link in it, and the account is ready.
            The link works once, for a day.</p>`
        }
        <p class="muted">Nothing there after some minutes? Look into the folder for spam, and check that the address is
        right. One address gets five such mails in an hour at most.</p>
        <p class="actions"><a class="button quiet" href="${what === 'reset' ? '/reset' : '/sign-up'}">Try
        again</a></p></div>`,
    options,
  )

/** The page of a link in a mail. Nothing happens before the button is pressed: programs open links, too. */
export function linkPage(visit: Visit, code: string, { purpose, email }: GetLinkResponse, sent: Sent = {}): Html {
  const card = (parts: Parameters<typeof form>[3]) =>
    html`<div class="card">${form(visit, '/link', sent, [hidden('code', code), ...parts])}</div>`
  const username = html`<input type="text" name="username" value="${email}" autocomplete="username" hidden>`
  if (purpose === LinkPurpose.PASSWORD)
    return layout(visit, 'Choose a new password', card([username, newPassword, submit('Set the password')]), {
      ...options,
      lead: html`For the account <strong>${email}</strong>. All its sessions end.`,
    })
  if (purpose === LinkPurpose.SIGN_UP)
    return layout(
      visit,
      'Confirm your e-mail address',
      card([
        username,
        { ...password('Password'), hint: 'The one that you chose when you signed up. It shows that it was you.' },
        submit('Confirm and sign in'),
      ]),
      { ...options, lead: html`This makes the account <strong>${email}</strong>.` },
    )
  const isNew = purpose === LinkPurpose.NEW_ADDRESS
  const back = `?next=${encodeURIComponent(`/link?code=${code}`)}`
  return layout(
    visit,
    isNew ? 'Use this e-mail address' : 'Verify your e-mail address',
    isNew && !visit.account
      ? html`<div class="card"><p>Sign in to your account first, still with the address that it has now. Then confirm
      the new one here.</p>
        <p class="actions"><a class="button" href="/sign-in${back}">Sign in</a></p></div>`
      : card([submit(isNew ? 'Use this address' : 'This is my address')]),
    {
      ...options,
      lead: isNew ? html`You sign in with <strong>${email}</strong> from then on.` : html`<strong>${email}</strong>`,
    },
  )
}
