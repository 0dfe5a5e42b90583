import type { Html } from '../../../web/html.ts'
import type { WithAccount } from '../../../web/visit.ts'
import { tabs } from '../../parts/layout.ts'

/** The pages of an account; providers are reached from the sign-in, because not every service has some. */
export const accountTabs = ({ account }: WithAccount, here: string): Html =>
  tabs('Account', here, [
    { href: '/account', text: 'Account' },
    { href: '/account/mail', text: 'E-mail' },
    { href: '/account/security', text: 'Sign-in and security' },
    { href: '/account/sessions', text: 'Sessions' },
    ...(account.studio ? [{ href: '/account/tokens', text: 'Personal tokens' }] : []),
  ])
