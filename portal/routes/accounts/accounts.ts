import { Router } from 'express'
import type { Html } from '../../web/html.ts'
import { beginSecondStep } from './second-step.ts'
import { accountPage } from '../../pages/accounts/account/account.ts'
import { sentPage } from '../../pages/accounts/sign-in/links.ts'
import { invitationIn, signInPage, signUpPage } from '../../pages/accounts/sign-in/sign-in.ts'
import { type Sent } from '../../pages/parts/form.ts'
import { linksLink, providerButtons } from '../../pages/accounts/sign-in/sign-in-with.ts'
import { usageBars } from '../../pages/parts/usage.ts'
import { signInWays } from '../../web/sign-in-providers.ts'
import {
  dropSession,
  keepSession,
  knownBrowser,
  ownPath,
  page,
  refused,
  seeOther,
  userAgent,
  withAccount,
  type Portal,
  type Visit,
  type WithAccount,
} from '../../web/visit.ts'

/** Sign-up, sign-in, sign-out and the account page. */
export function accounts(portal: Portal): Router {
  return Router()
    .get(
      '/sign-up',
      guest(portal, async (visit) => {
        const next = visit.query('next')
        if ((await signInWays(portal)).only) return seeOther(visit, signInPath(next))
        return signUpPage(visit, next)
      }),
    )
    .post(
      '/sign-up',
      page(portal, async (visit) => {
        const { core, form, senderIp } = visit
        try {
          const made = await core.accounts.signUp({
            studioName: form('studio_name'),
            email: form('email'),
            password: form('password'),
            senderIp,
            invitation: invitationIn(form('next')),
            userAgent: userAgent(visit),
          })
          if (made.mailed) return sentPage(visit, 'sign-up', form('email').trim())
          keepSession(visit, made)
          seeOther(visit, ownPath(form('next')))
        } catch (error) {
          return signUpPage(visit, form('next'), { failure: refused(visit, error), values: form })
        }
      }),
    )
    .get(
      '/sign-in',
      guest(portal, async (visit) => {
        const next = visit.query('next')
        return signInPage(visit, next, await ways(portal, next), endedIn(visit))
      }),
    )
    .post(
      '/sign-in',
      page(portal, async (visit) => {
        const { core, form, senderIp } = visit
        try {
          const done = await core.accounts.signIn({
            email: form('email'),
            password: form('password'),
            senderIp,
            known: knownBrowser(visit),
            userAgent: userAgent(visit),
          })
          if (done.pending !== '') return seeOther(visit, beginSecondStep(visit, done, form('next')))
          keepSession(visit, done)
          seeOther(visit, ownPath(form('next')))
        } catch (error) {
          const offered = await ways(portal, form('next'))
          return signInPage(visit, form('next'), { failure: refused(visit, error), values: form, ...offered })
        }
      }),
    )
    .post(
      '/sign-out',
      page(portal, async (visit) => {
        if (visit.account) await visit.core.accounts.signOut({})
        dropSession(visit)
        seeOther(visit, '/')
      }),
    )
    .get(
      '/account',
      withAccount(portal, (visit) => account(portal, visit)),
    )
    .post(
      '/account/password',
      withAccount(portal, async (visit) => {
        const { core, form } = visit
        try {
          await core.accounts.changePassword({ currentPassword: form('current_password'), password: form('password') })
          seeOther(visit, '/account?done=password')
        } catch (error) {
          return account(portal, visit, { failure: refused(visit, error) })
        }
      }),
    )
    .post(
      '/account/sign-out-everywhere',
      withAccount(portal, async (visit) => {
        const { sessions } = await visit.core.accounts.signOutEverywhere({})
        dropSession(visit)
        seeOther(visit, `/sign-in?ended=${sessions}`)
      }),
    )
}

/** What a sign-in page offers beside or instead of a password. */
async function ways(portal: Portal, next: string) {
  const { providers, only } = await signInWays(portal)
  return { only, beside: providerButtons(providers, next === '' ? '' : `?next=${encodeURIComponent(next)}`) }
}

const signInPath = (next: string): string => `/sign-in${next === '' ? '' : `?next=${encodeURIComponent(next)}`}`

const doneInAccount: Readonly<Record<string, string>> = {
  password: 'Password changed. Every other session has ended.',
  left: 'You have left the studio.',
  kept: 'The account stays.',
}
const doneIn = ({ query }: Visit): string | undefined =>
  Object.hasOwn(doneInAccount, query('done')) ? doneInAccount[query('done')] : undefined

const done: Readonly<Record<string, string>> = {
  password: 'The new password is set, and all sessions have ended. Sign in with it.',
  verified: 'The e-mail address is verified. Sign in with it.',
}

/** After signing out everywhere, or after a link in a mail. */
function endedIn({ query }: Visit): string | undefined {
  if (Object.hasOwn(done, query('done'))) return done[query('done')]
  const ended = query('ended')
  if (!/^\d{1,6}$/.test(ended)) return undefined
  return Number(ended) === 1
    ? 'The account had one session. It has ended: you are signed out.'
    : `${Number(ended)} sessions have ended: you are signed out everywhere.`
}

/** Redirects visitors who are signed in already. */
const guest = (portal: Portal, handler: (visit: Visit) => Promise<Html | void> | Html) =>
  page(portal, (visit) => (visit.account ? seeOther(visit, ownPath(visit.query('next'))) : handler(visit)))

async function account(portal: Portal, visit: WithAccount, sent: Sent = {}): Promise<Html> {
  const { providers, only } = await signInWays(portal)
  const beside = providers.length > 0 ? linksLink : undefined
  const { usage } = visit.account.studio ? await visit.core.quotas.getUsage({}) : {}
  return accountPage(visit, usage && usageBars(usage), { ...sent, beside, only }, doneIn(visit))
}
