import type { Router } from 'express'
import { Subject, type Failure } from '../../../gen/lrs/v1/failure_pb.js'
import { Html } from '../../web/html.ts'
import { confirmPage } from '../../pages/accounts/sign-in/second-step.ts'
import { appPage, codesPage, securityPage } from '../../pages/accounts/account/security.ts'
import { linksLink } from '../../pages/accounts/sign-in/sign-in-with.ts'
import { signInWays } from '../../web/sign-in-providers.ts'
import { inEnglish } from '../../web/say.ts'
import { routes } from '../../web/routes.ts'
import { notice, ownPath, refused, uuid, type Answer, type Portal, type WithAccount } from '../../web/visit.ts'

const here = '/account/security'

/** Second factors of the account. Sessions that still need one get here, too. */
export function security(portal: Portal): Router {
  return routes(portal)
    .anyAccount(`GET ${here}`, (visit) => overview(portal, visit))
    .anyAccount(`GET ${here}/app`, (visit) => attempt(portal, visit, async () => appPage(visit, await begun(visit))))
    .anyAccount(`POST ${here}/app`, async (visit) => {
      try {
        const { recoveryCodes } = await visit.core.signIn.confirmTotp({ code: visit.form('code') })
        return shown(visit, recoveryCodes)
      } catch (error) {
        const failure = refused(visit, error)
        if (failure.path !== 'code') return attempt(portal, visit, () => Promise.reject(error))
        return appPage(visit, await begun(visit), { failure })
      }
    })
    .anyAccount(`POST ${here}/app/remove`, (visit) =>
      attempt(portal, visit, async () => {
        await visit.core.signIn.removeTotp({})
        return `${here}?done=removed`
      }),
    )
    .anyAccount(`POST ${here}/codes`, (visit) =>
      attempt(portal, visit, async () => shown(visit, (await visit.core.signIn.renewRecoveryCodes({})).recoveryCodes)),
    )
    .anyAccount(`POST ${here}/passkeys/options`, async ({ core, at, response }) => {
      response.type('json').send((await core.signIn.beginPasskey({ origin: at.portal })).options)
    })
    .anyAccount(`POST ${here}/passkeys`, (visit) =>
      attempt(portal, visit, async () => {
        const { core, form, at } = visit
        const given = { name: form('name'), passkey: form('passkey'), origin: at.portal }
        return shown(visit, (await core.signIn.addPasskey(given)).recoveryCodes)
      }),
    )
    .anyAccount(`POST ${here}/passkeys/:id/remove`, (visit) =>
      attempt(portal, visit, async () => {
        await visit.core.signIn.removePasskey({ passkeyId: uuid(visit) })
        return `${here}?done=removed`
      }),
    )
    .anyAccount('GET /account/confirm', (visit) => confirmation(visit, visit.query('next')))
    .anyAccount('POST /account/confirm/options', async ({ core, at, response }) => {
      response.type('json').send((await core.signIn.beginConfirmation({ origin: at.portal })).options)
    })
    .anyAccount(
      'POST /account/confirm',
      async ({ core, form, at }) => {
        const given = { password: form('password'), code: form('code'), passkey: form('passkey'), origin: at.portal }
        await core.signIn.confirm(given)
        return ownPath(form('next'))
      },
      (visit, sent) => confirmation(visit, visit.form('next'), sent.failure),
    )
}

const done = {
  added: 'Added. Signing in asks for it from now on.',
  removed: 'Removed.',
}

async function overview(portal: Portal, visit: WithAccount, failure?: Failure): Promise<Html> {
  const settings = await visit.core.signIn.getSignInSettings({})
  const beside = (await signInWays(portal)).providers.length > 0 ? linksLink(inEnglish) : undefined
  return securityPage(visit, settings, { failure, done: notice(visit, done), beside })
}

async function confirmation(visit: WithAccount, next: string, failure?: Failure): Promise<Html> {
  const { totp, passkeys, hasPassword } = await visit.core.signIn.getSignInSettings({})
  const passkey = passkeys.length > 0
  return confirmPage(visit, { totp, passkey, next, hasPassword, hasFactor: totp || passkey }, failure)
}

/** Sends those who have to confirm first to that page; other refusals are shown on the page of the factors. */
async function attempt(portal: Portal, visit: WithAccount, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    const failure = refused(visit, error)
    if (failure.subject === Subject.CONFIRMATION) return `/account/confirm?next=${here}`
    return overview(portal, visit, failure)
  }
}

/** The key of the app, and its QR code; responses with a secret are not compressed. */
async function begun({ core, response }: WithAccount): Promise<{ secret: string; qr: Html }> {
  const { secret, address } = await core.signIn.beginTotp({})
  response.set('Cache-Control', 'no-store, no-transform')
  const { renderSVG } = await import('uqr')
  const svg = renderSVG(address, { border: 2 }).replace('<svg ', '<svg role="img" aria-label="QR code of the key" ')
  return { secret, qr: new Html(svg) }
}

function shown(visit: WithAccount, codes: readonly string[]): Answer {
  if (codes.length === 0) return `${here}?done=added`
  visit.response.set('Cache-Control', 'no-store, no-transform')
  return codesPage(visit, codes)
}
