import type { StudioMessage } from '../../../../gen/lrs/v1/accounts_pb.js'
import { html, paragraphs, type Html } from '../../../web/html.ts'
import type { SignedIn } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { postForm, button } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'

const shown = 200

/** Messages to the studio. */
export function messagesPage(visit: SignedIn, messages: StudioMessage[], done?: string): Html {
  const { slug } = visit.account.studio
  const lead = html`From the form on <a href="/studios/${slug}">the studio’s public page</a>.${messages.length === shown && ` These are the newest ${shown}: delete some to see older ones.`}`
  if (messages.length > 0)
    return layout(
      visit,
      'Messages',
      html`${messages.map((message) => card(visit, message))}
      ${messages.length > 1 && removeAll(visit, messages)}`,
      { lead, done, styles: ['account.css'] },
    )
  return layout(
    visit,
    'Messages',
    html`
      <div class="card empty">
        <h2>No messages</h2>
        <p class="muted">Visitors can write to you from your public page. Say there who you are.</p>
        <div class="actions"><a class="button" href="/studio">Edit the profile</a> <a class="button quiet" href="/studios/${slug}">View the page</a></div>
      </div>`,
    { done },
  )
}

const card = (visit: SignedIn, { messageId, senderName, senderEmail, message, sent }: StudioMessage): Html => html`
      <article class="card message" aria-labelledby="m-${messageId}">
        <h2 id="m-${messageId}">${senderName}</h2>
        <p class="hint">${moment(sent)} · ${senderEmail}</p>
        ${paragraphs(message)}
        <div class="actions"><a class="button quiet small" href="${mailto(senderEmail)}">Reply<span class="visually-hidden"> to ${senderName} by e-mail</span></a>
          <details><summary>Delete<span class="visually-hidden"> the message of ${senderName}</span></summary>
            ${button(visit, `/messages/${messageId}/delete`, 'Delete for good', { className: 'danger small' })}</details></div>
      </article>`

/** Deletes only messages that this page shows, none that arrived later. */
const removeAll = (visit: SignedIn, messages: StudioMessage[]): Html => html`
      <details class="card"><summary>Delete all ${messages.length} messages on this page</summary>
        ${postForm(
          visit,
          '/messages/delete',
          html`<input type="hidden" name="ids" value="${messages.map(({ messageId }) => messageId).join(' ')}">
          <button class="danger small">Delete them for good</button>`,
          'inline',
        )}</details>`

/** The part before the @ can hold characters that have a meaning in URLs. */
function mailto(email: string): string {
  const at = email.lastIndexOf('@')
  return `mailto:${encodeURIComponent(email.slice(0, at))}@${encodeURIComponent(email.slice(at + 1))}`
}
