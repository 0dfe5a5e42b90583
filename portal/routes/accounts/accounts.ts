import type { Router } from 'express'
import type { Html } from '../../web/html.ts'
import { beginSecondStep } from './second-step.ts'
import { accountPage } from '../../pages/accounts/account/account.ts'
import { sentPage } from '../../pages/accounts/sign-in/links.ts'
import { invitationIn, kindIn, signInPage, signUpPage } from '../../pages/accounts/sign-in/sign-in.ts'
import { type Sent } from '../../pages/parts/form.ts'
import { linksLink, providerButtons } from '../../pages/accounts/sign-in/sign-in-with.ts'
import { usageBars } from '../../pages/parts/usage.ts'
import { signInWays } from '../../web/sign-in-providers.ts'
import { routes } from '../../web/routes.ts'
import {
  dropSession,
  isAtSchool,
  sayToMember,
  keepSession,
  knownBrowser,
  ownPath,
  notice,
  userAgent,
  type Handler,
  type Portal,
  type Visit,
  type WithAccount,
} from '../../web/visit.ts'

/** Sign-up, sign-in, sign-out and the account page. */
export function accounts(portal: Portal): Router {
  return routes(portal)
    .page(
      'GET /sign-up',
      guest(async (visit) => {
        const next = visit.query('next')
        if ((await signInWays(portal)).only) return signInPath(next)
        return signUpPage(visit, next)
      }),
    )
    .page(
      'POST /sign-up',
      async (visit) => {
        const { core, form, senderIp } = visit
        const made = await core.accounts.signUp({
          studioName: form('studio_name'),
          email: form('email'),
          password: form('password'),
          senderIp,
          invitation: invitationIn(form('next')),
          kind: kindIn(form),
          userAgent: userAgent(visit),
          language: visit.say.language,
        })
        if (made.mailed) return sentPage(visit, 'sign-up', form('email').trim())
        keepSession(visit, made)
        return ownPath(form('next'))
      },
      (visit, sent) => signUpPage(visit, visit.form('next'), sent),
    )
    .page(
      'GET /sign-in',
      guest(async (visit) => {
        const next = visit.query('next')
        return signInPage(visit, next, await ways(portal, visit, next), endedIn(visit))
      }),
    )
    .page(
      'POST /sign-in',
      async (visit) => {
        const { core, form, senderIp } = visit
        const done = await core.accounts.signIn({
          email: form('email'),
          password: form('password'),
          senderIp,
          known: knownBrowser(visit),
          userAgent: userAgent(visit),
        })
        if (done.pending !== '') return beginSecondStep(visit, done, form('next'))
        keepSession(visit, done)
        return ownPath(form('next'))
      },
      async (visit, sent) => {
        const next = visit.form('next')
        return signInPage(visit, next, { ...sent, ...(await ways(portal, visit, next)) })
      },
    )
    .page('POST /sign-out', async (visit) => {
      if (visit.account) await visit.core.accounts.signOut({})
      dropSession(visit)
      return '/'
    })
    .withAccount('GET /account', (visit) => account(portal, visit))
    .withAccount(
      'POST /account',
      async ({ core, form }) => {
        await core.accounts.updateAccount({ name: form('name'), zone: form('zone'), language: form('language') })
        return '/account?done=saved'
      },
      (visit, sent) => account(portal, visit, sent),
    )
    .withAccount(
      'POST /account/password',
      async (visit) => {
        const { core, form } = visit
        await core.accounts.changePassword({ currentPassword: form('current_password'), password: form('password') })
        return '/account?done=password'
      },
      (visit, sent) => account(portal, visit, sent),
    )
    .withAccount('POST /account/sign-out-everywhere', async (visit) => {
      const { sessions } = await visit.core.accounts.signOutEverywhere({})
      dropSession(visit)
      return `/sign-in?ended=${sessions}`
    })
}

/** What a sign-in page offers beside or instead of a password. */
async function ways(portal: Portal, { say }: Visit, next: string) {
  const { providers, only } = await signInWays(portal)
  return { only, beside: providerButtons(say, providers, next === '' ? '' : `?next=${encodeURIComponent(next)}`) }
}

const signInPath = (next: string): string => `/sign-in${next === '' ? '' : `?next=${encodeURIComponent(next)}`}`

/** After signing out everywhere, or after a link in a mail. */
function endedIn(visit: Visit): string | undefined {
  const { say } = visit
  const ended = visit.query('ended')
  if (/^\d{1,6}$/.test(ended)) return say.text('account.ended', { sessions: Number(ended) })
  return notice(visit, {
    password: say.text('account.passwordSet'),
    verified: say.text('account.verifiedSignIn'),
  })
}

/** Redirects visitors who are signed in already. */
const guest =
  (handler: Handler<Visit>): Handler<Visit> =>
  (visit) =>
    visit.account ? ownPath(visit.query('next')) : handler(visit)

async function account(portal: Portal, visit: WithAccount, sent: Sent = {}): Promise<Html> {
  const { providers, only } = await signInWays(portal)
  const say = sayToMember(visit)
  const beside = providers.length > 0 ? linksLink(say) : undefined
  // the quotas are those of games
  const { usage } = visit.account.studio && !isAtSchool(visit) ? await visit.core.quotas.getUsage({}) : {}
  const done = notice(visit, {
    saved: say.text('account.saved'),
    password: say.text('account.passwordChanged'),
    left: say.text('account.left'),
    kept: say.text('account.kept'),
  })
  return accountPage(visit, usage && usageBars(usage), { ...sent, beside, only }, done)
}
