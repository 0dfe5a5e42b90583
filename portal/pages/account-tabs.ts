import type { Html } from '../html.ts'
import { tabs } from './layout.ts'

/** The pages of an account. */
export const accountTabs = (here: string): Html =>
  tabs('Account', here, [
    { href: '/account', text: 'Account' },
    { href: '/account/security', text: 'Sign-in and security' },
    { href: '/account/sessions', text: 'Sessions' },
  ])
