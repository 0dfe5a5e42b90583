import type { Router } from 'express'
import { keepAttempt, newBinding, readAttempt } from './attempt-cookie.ts'
import { secondStepPage, type SecondStep } from '../../pages/accounts/sign-in/second-step.ts'
import { signInPage } from '../../pages/accounts/sign-in/sign-in.ts'
import { routes } from '../../web/routes.ts'
import { keepSession, knownBrowser, ownPath, userAgent, type Portal, type Visit } from '../../web/visit.ts'

/** The second step of a sign-in, and signing in with a passkey alone. */
export function secondStep(portal: Portal): Router {
  return routes(portal)
    .page('GET /sign-in/second', (visit) =>
      readAttempt(visit) === '' ? '/sign-in' : secondStepPage(visit, stepOf(visit.query)),
    )
    .page('POST /sign-in/second/options', async (visit) => {
      const { core, at, response } = visit
      const { options } = await core.signIn.beginPasskeySignIn({ origin: at.portal, pending: readAttempt(visit) })
      response.type('json').send(options)
    })
    .page(
      'POST /sign-in/second',
      async (visit) => {
        const { core, form, at } = visit
        const pending = readAttempt(visit)
        if (pending === '') return '/sign-in'
        const done = await core.signIn.finishSignIn({
          pending,
          code: form('code'),
          passkey: form('passkey'),
          origin: at.portal,
          userAgent: userAgent(visit),
          senderIp: visit.senderIp,
        })
        keepAttempt(visit, '')
        keepSession(visit, done)
        return ownPath(form('next'))
      },
      (visit, sent) => secondStepPage(visit, stepOf(visit.form), sent.failure),
    )
    .page('POST /sign-in/passkey/options', async (visit) => {
      const { core, at, response } = visit
      const binding = newBinding()
      const { options } = await core.signIn.beginPasskeySignIn({ origin: at.portal, binding })
      keepAttempt(visit, binding)
      response.type('json').send(options)
    })
    .page(
      'POST /sign-in/passkey',
      async (visit) => {
        const { core, form, at, senderIp } = visit
        const done = await core.signIn.signInWithPasskey({
          passkey: form('passkey'),
          origin: at.portal,
          binding: readAttempt(visit).slice(0, 200).padEnd(16, '-'),
          senderIp,
          userAgent: userAgent(visit),
          known: knownBrowser(visit),
        })
        keepAttempt(visit, '')
        keepSession(visit, done)
        return ownPath(form('next'))
      },
      (visit, sent) => signInPage(visit, visit.form('next'), sent),
    )
}

/** The page that asks for the second factor. */
export function beginSecondStep(
  visit: Visit,
  { pending, totp, passkey }: { pending: string; totp: boolean; passkey: boolean },
  next: string,
): string {
  keepAttempt(visit, pending)
  const query = new URLSearchParams({ next, totp: totp ? 'yes' : '', has_passkey: passkey ? 'yes' : '' })
  return `/sign-in/second?${query}`
}

const stepOf = (given: Visit['form']): SecondStep => ({
  next: given('next'),
  totp: given('totp') === 'yes',
  passkey: given('has_passkey') === 'yes',
})
