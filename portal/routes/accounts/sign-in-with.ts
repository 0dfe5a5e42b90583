import type { RequestHandler, Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { SignInProblem } from '../../../gen/lrs/v1/providers_pb.js'
import { PageFailure } from '../../web/failure.ts'
import { linksPage } from '../../pages/accounts/account/providers.ts'
import { problemOf, problems } from '../../pages/accounts/sign-in/sign-in-problems.ts'
import { onwardPage, problemPage } from '../../pages/accounts/sign-in/sign-in-with.ts'
import { signInWays } from '../../web/sign-in-providers.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { routes } from '../../web/routes.ts'
import {
  browserSecret,
  keepSession,
  knownBrowser,
  newBrowserSecret,
  notice,
  ownPath,
  page,
  userAgent,
  type Portal,
  type Visit,
  type WithAccount,
} from '../../web/visit.ts'

import { beginSecondStep } from './second-step.ts'

/** Core asks the provider up to four times, ten seconds in all. */
const patient = { timeoutMs: 20_000 }

/** Signing in with providers of OpenID Connect, and linking them to an account. */
export function signInWith(portal: Portal): Router {
  return routes(portal)
    .page('GET /sign-in/with/:provider', async (visit) => {
      const provider = nameOf(visit)
      const next = visit.query('next')
      if (visit.account) return ownPath(next)
      // a link of another site begins nothing
      if (/^(cross|same)-site$/.test(visit.request.get('sec-fetch-site') ?? ''))
        return `/sign-in${next === '' ? '' : `?next=${encodeURIComponent(next)}`}`
      const { url, problem } = await visit.core.providers.startProviderSignIn(
        { provider, next: next.slice(0, 2_048), ...begunBy(visit, provider) },
        patient,
      )
      visit.response.set('Cache-Control', 'no-store')
      return url === '' ? problemPath(provider, problem) : url
    })
    .get(
      '/sign-in/with/:provider/back',
      leaving(
        portal,
        page(portal, (visit) => finish(visit, nameOf(visit))),
      ),
    )
    .page('GET /sign-in/with/:provider/:problem', async (visit) => {
      const name = nameOf(visit)
      const problem = problemOf(String(visit.request.params['problem']))
      if (!problem) throw new PageFailure(Reason.NOT_FOUND, `There is no page at ${visit.request.path}.`)
      const provider = (await signInWays(portal)).providers.find((one) => one.name === name)
      visit.response.status(problem.status)
      return problemPage(visit, problem, provider)
    })
    .withAccount('GET /account/providers', links)
    .withAccount(
      'POST /account/providers',
      async (visit) => {
        const provider = requireName(visit, visit.form('provider'))
        const { url, problem } = await visit.core.providers.startProviderLink(
          { provider, password: visit.form('password'), ...begunBy(visit, provider) },
          patient,
        )
        if (url === '') return problemPath(provider, problem)
        // the policy of our pages keeps forms from leading elsewhere, so a page does
        visit.response.set('Refresh', `0; url=${url}`)
        return onwardPage(visit, url)
      },
      links,
    )
    .withAccount(
      'POST /account/providers/:provider/remove',
      async (visit) => {
        const provider = nameOf(visit)
        await visit.core.providers.removeProviderLink({ provider })
        return '/account/providers?done=removed'
      },
      links,
    )
}

/** A code is in the address of this request only: the browser goes on at once, whatever comes of it. */
const leaving =
  ({ log }: Portal, handler: RequestHandler): RequestHandler =>
  async (request, response, next) => {
    response.set('Cache-Control', 'no-store')
    try {
      await handler(request, response, next)
    } catch (error) {
      log.error({ err: error, path: request.path }, 'a sign-in with a provider could not be finished')
      response.redirect(303, request.path.replace(/back$/, 'unreachable'))
    }
  }

const nameOf = (visit: Visit): string => requireName(visit, String(visit.request.params['provider']))

function requireName({ request }: Visit, name: string): string {
  if (/^[a-z0-9-]{1,40}$/.test(name)) return name
  throw new PageFailure(Reason.NOT_FOUND, `There is no page at ${request.path}.`)
}

/** The address of ours that the provider knows. Each has its own, so that none can answer for another. */
const redirectUri = ({ at }: Visit, provider: string): string => `${at.portal}/sign-in/with/${provider}/back`

const begunBy = (visit: Visit, provider: string) => ({
  redirectUri: redirectUri(visit, provider),
  browser: newBrowserSecret(visit),
  senderIp: visit.senderIp,
})

const problemPath = (provider: string, problem: SignInProblem): string =>
  `/sign-in/with/${provider}/${problems[problem]?.path ?? 'over'}`

/** Where the browser goes after it came back. */
async function finish(visit: Visit, provider: string): Promise<string> {
  const { core, request, senderIp } = visit
  const [, query = ''] = request.originalUrl.split('?', 2)
  if (query.length > 16_384) return problemPath(provider, SignInProblem.OVER)
  const found = await core.providers.finishProviderSignIn(
    {
      provider,
      query,
      senderIp,
      redirectUri: redirectUri(visit, provider),
      browser: browserSecret(visit),
      known: knownBrowser(visit),
      userAgent: userAgent(visit),
    },
    patient,
  )
  if (found.problem !== SignInProblem.UNSPECIFIED) return problemPath(provider, found.problem)
  if (found.linked) return '/account/providers?done=linked'
  if (visit.account) await core.accounts.signOut({})
  if (found.pending !== '') return beginSecondStep(visit, found, found.next)
  keepSession(visit, found)
  return ownPath(found.next)
}

const done = {
  linked: 'Linked. From now on you can sign in with it.',
  removed: 'Removed. You cannot sign in with it any more.',
}

const links = async (visit: WithAccount, sent?: Sent) =>
  linksPage(visit, await visit.core.providers.listProviderLinks({}), { ...sent, done: notice(visit, done) })
