import type { Html } from '../../../web/html.ts'
import { sayToMember, type WithAccount } from '../../../web/visit.ts'
import { tabs } from '../../parts/layout.ts'

/** The pages of an account; providers are reached from the sign-in, because not every service has some. */
export function accountTabs(visit: WithAccount, here: string): Html {
  const say = sayToMember(visit)
  return tabs(say.text('account.title'), here, [
    { href: '/account', text: say.text('account.title') },
    { href: '/account/mail', text: say.text('account.tabMail') },
    { href: '/account/security', text: say.text('account.tabSecurity') },
    { href: '/account/sessions', text: say.text('account.tabSessions') },
    ...(visit.account.studio ? [{ href: '/account/tokens', text: say.text('account.tabTokens') }] : []),
  ])
}
