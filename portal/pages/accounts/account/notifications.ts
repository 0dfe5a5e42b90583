import type { Notification } from '../../../../gen/lrs/v1/notices_pb.js'
import { html, paragraphs, type Html } from '../../../web/html.ts'
import type { WithAccount } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { postForm, button } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'

/** The notifications of the account, newest first. */
export function notificationsPage(visit: WithAccount, notifications: readonly Notification[], done?: string): Html {
  const isUnread = notifications.some(({ read }) => !read)
  return layout(
    visit,
    'Notifications',
    notifications.length === 0
      ? html`<div class="card empty"><h2>Nothing yet</h2>
        <p class="muted">Decisions on your games, messages, quotas that are nearly used up and changes to the safety of
        your account appear here.</p></div>`
      : html`${notifications.map((one) => card(visit, one))}`,
    {
      done,
      lead: html`You choose on the page <a href="/account/mail">E-mail</a> which of them also come as mails.`,
      aside:
        isUnread && notifications[0]
          ? button(visit, '/notifications/read', 'Mark all as read', { className: 'quiet' })
          : undefined,
      styles: ['account.css'],
    },
  )
}

const card = (visit: WithAccount, { notificationId, title, body, created, read }: Notification): Html => html`
      <article class="card message" aria-labelledby="n-${notificationId}">
        <h2 id="n-${notificationId}">${title}${!read && html` <span class="badge busy">New</span>`}</h2>
        <p class="hint">${moment(created)}</p>
        ${paragraphs(body)}
        <div class="actions">
          ${button(visit, `/notifications/${notificationId}`, 'Open', { about: `the page of: ${title}` })}
          ${postForm(
            visit,
            `/notifications/${notificationId}/${read ? 'unread' : 'read'}`,
            html`<button class="quiet small">Mark as ${read ? 'unread' : 'read'}<span class="visually-hidden">:
            ${title}</span></button>`,
            'inline',
          )}
        </div>
      </article>`
