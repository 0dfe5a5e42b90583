import { Router } from 'express'
import { Subject } from '../../../gen/lrs/v1/failure_pb.js'
import { Html } from '../../web/html.ts'
import { confirmPage } from '../../pages/accounts/sign-in/second-step.ts'
import { appPage, codesPage, securityPage } from '../../pages/accounts/account/security.ts'
import { linksLink } from '../../pages/accounts/sign-in/sign-in-with.ts'
import { signInWays } from '../../web/sign-in-providers.ts'
import { anyAccount, ownPath, refused, seeOther, uuid, type Portal, type WithAccount } from '../../web/visit.ts'

const here = '/account/security'

/** Second factors of the account. Sessions that still need one get here, too. */
export function security(portal: Portal): Router {
  return Router()
    .get(
      here,
      anyAccount(portal, (visit) => overview(portal, visit)),
    )
    .get(
      `${here}/app`,
      anyAccount(portal, (visit) => attempt(portal, visit, async () => appPage(visit, await begun(visit)))),
    )
    .post(
      `${here}/app`,
      anyAccount(portal, async (visit) => {
        try {
          const { recoveryCodes } = await visit.core.signIn.confirmTotp({ code: visit.form('code') })
          return shown(visit, recoveryCodes)
        } catch (error) {
          const failure = refused(visit, error)
          if (failure.path !== 'code') return attempt(portal, visit, () => Promise.reject(error))
          return appPage(visit, await begun(visit), failure)
        }
      }),
    )
    .post(
      `${here}/app/remove`,
      anyAccount(portal, (visit) =>
        attempt(portal, visit, async () => {
          await visit.core.signIn.removeTotp({})
          seeOther(visit, `${here}?done=removed`)
        }),
      ),
    )
    .post(
      `${here}/codes`,
      anyAccount(portal, (visit) =>
        attempt(portal, visit, async () =>
          shown(visit, (await visit.core.signIn.renewRecoveryCodes({})).recoveryCodes),
        ),
      ),
    )
    .post(
      `${here}/passkeys/options`,
      anyAccount(portal, async ({ core, at, response }) => {
        response.type('json').send((await core.signIn.beginPasskey({ origin: at.portal })).options)
      }),
    )
    .post(
      `${here}/passkeys`,
      anyAccount(portal, (visit) =>
        attempt(portal, visit, async () => {
          const { core, form, at } = visit
          const given = { name: form('name'), passkey: form('passkey'), origin: at.portal }
          return shown(visit, (await core.signIn.addPasskey(given)).recoveryCodes)
        }),
      ),
    )
    .post(
      `${here}/passkeys/:id/remove`,
      anyAccount(portal, (visit) =>
        attempt(portal, visit, async () => {
          await visit.core.signIn.removePasskey({ passkeyId: uuid(visit) })
          seeOther(visit, `${here}?done=removed`)
        }),
      ),
    )
    .get(
      '/account/confirm',
      anyAccount(portal, (visit) => confirmation(visit, visit.query('next'))),
    )
    .post(
      '/account/confirm/options',
      anyAccount(portal, async ({ core, at, response }) => {
        response.type('json').send((await core.signIn.beginConfirmation({ origin: at.portal })).options)
      }),
    )
    .post(
      '/account/confirm',
      anyAccount(portal, async (visit) => {
        const { core, form, at } = visit
        try {
          await core.signIn.confirm({
            password: form('password'),
            code: form('code'),
            passkey: form('passkey'),
            origin: at.portal,
          })
          seeOther(visit, ownPath(form('next')))
        } catch (error) {
          return confirmation(visit, form('next'), error)
        }
      }),
    )
}

const said: Record<string, string> = {
  added: 'Added. Signing in asks for it from now on.',
  removed: 'Removed.',
}

async function overview(portal: Portal, visit: WithAccount, error?: unknown): Promise<Html> {
  const settings = await visit.core.signIn.getSignInSettings({})
  const failure = error === undefined ? undefined : refused(visit, error)
  const done = said[visit.query('done')]
  const beside = (await signInWays(portal)).providers.length > 0 ? linksLink : undefined
  return securityPage(visit, settings, { ...(failure && { failure }), ...(done !== undefined && { done }), beside })
}

async function confirmation(visit: WithAccount, next: string, error?: unknown): Promise<Html> {
  const { totp, passkeys, hasPassword } = await visit.core.signIn.getSignInSettings({})
  const passkey = passkeys.length > 0
  const failure = error === undefined ? undefined : refused(visit, error)
  return confirmPage(visit, { totp, passkey, next, hasPassword, hasFactor: totp || passkey }, failure)
}

/** Sends those who have to confirm first to that page; other refusals are shown on the page of the factors. */
async function attempt(portal: Portal, visit: WithAccount, work: () => Promise<Html | void>): Promise<Html | void> {
  try {
    return await work()
  } catch (error) {
    if (refused(visit, error).subject === Subject.CONFIRMATION) {
      return seeOther(visit, `/account/confirm?next=${here}`)
    }
    return overview(portal, visit, error)
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

function shown(visit: WithAccount, codes: readonly string[]): Html | void {
  if (codes.length === 0) return seeOther(visit, `${here}?done=added`)
  visit.response.set('Cache-Control', 'no-store, no-transform')
  return codesPage(visit, codes)
}
