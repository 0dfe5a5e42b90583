import { html, type Html } from '../../web/html.ts'
import type { WithAccount } from '../../web/visit.ts'
import { button, question } from '../parts/form.ts'
import { layout, tabs, type LayoutOptions } from '../parts/layout.ts'

const pages = [
  { href: '/operator', text: 'Health' },
  { href: '/operator/studios', text: 'Studios' },
  { href: '/operator/accounts', text: 'Accounts' },
  { href: '/operator/reports', text: 'Reports' },
  { href: '/operator/storage', text: 'Storage' },
  { href: '/operator/jobs', text: 'Jobs' },
  { href: '/operator/mail', text: 'Mail' },
  { href: '/operator/forwards', text: 'Forwards' },
  { href: '/operator/activity', text: 'Audit log' },
] as const

/** A page for those who run the service. */
export function operatorLayout(visit: WithAccount, title: string, content: Html, options: LayoutOptions = {}): Html {
  const { path } = visit.request
  const here = pages.findLast(({ href }) => path === href || path.startsWith(`${href}/`))?.href ?? ''
  return layout(visit, title, content, {
    trail: [{ href: '/operator', text: 'Operator' }],
    tabs: tabs('Pages of operators', here, pages),
    styles: ['account.css'],
    ...options,
  })
}

/** Finds rows of a list by a part of their names. */
export const finder = ({ query }: WithAccount, label: string): Html =>
  html`<form method="get" role="search" class="card finder"><label for="find">${label}</label>
        <div class="actions"><input id="find" name="find" type="search" value="${query('find')}"
        maxlength="320"><button>Find</button></div></form>`

/** How many of a list are shown. */
export const shown = (count: number, total: number, what: string): Html | undefined =>
  count < total
    ? html`<p class="hint">These are the first ${count} of ${total.toLocaleString('en')} ${what}: find others by
      their name.</p>`
    : undefined

/** A button that does something at once, which can be undone as easily. */
export const action = (visit: WithAccount, path: string, text: string, fields: Html = html``): Html =>
  button(visit, path, text, { fields })

interface Question {
  readonly title: string
  readonly text: Html
  readonly action: string
  readonly button: string
  readonly back: string
  readonly trail: LayoutOptions['trail']
}

/** Asks before something that stops others from working, and says what it does. */
export const questionPage = (visit: WithAccount, { title, text, action, button, back, trail }: Question): Html =>
  operatorLayout(visit, title, question(visit, action, text, button, back), { trail })
