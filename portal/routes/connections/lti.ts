/*
 * What learning platforms send browsers to (docs/lti.md). In a frame no cookie may come back: then the platform's own
 * storage shows that the browser began the login, else the launch begins again in a new tab.
 */
import type { Router } from 'express'
import { LaunchLtiResponse_Kind as Kind, LtiGrading, type LaunchLtiResponse } from '../../../gen/lrs/v1/lti_pb.js'
import { beginPage, notedPage, unboundPage } from '../../pages/connections/lti/begin.ts'
import { guestPage, nothingPage, refusedPage, startPage, teachPage } from '../../pages/connections/lti/launch.ts'
import { pickGamePage, pickLinkPage, sendPickPage } from '../../pages/connections/lti/pick.ts'
import type { Html } from '../../web/html.ts'
import { routes } from '../../web/routes.ts'
import { allowForm, allowParents } from '../../web/security-headers.ts'
import { refused, type Answer, type Portal, type Visit } from '../../web/visit.ts'
import { ifFound } from '../parts/launch.ts'
import { isSame, keepState, takeState } from '../parts/launch-cookie.ts'
import { gameOf } from '../parts/player.ts'

export const lti = (portal: Portal): Router =>
  routes(portal)
    .page('GET /lti/jwks/:school', async ({ core, request, response }) => {
      const { keys } = await core.lti.getLtiKeys({ schoolId: String(request.params['school']) })
      response.set('Cache-Control', 'public, max-age=300').type('json').send(keys)
    })
    .elsewhere('GET /lti/login/:school', (visit) => begin(visit, visit.query))
    .elsewhere('POST /lti/login/:school', (visit) => begin(visit, visit.form))
    .elsewhere('GET /lti/launch', (visit) => notedPage(visit, 'again'))
    .elsewhere('POST /lti/launch', (visit) => launch(visit, takeState(visit, visit.form('state'))))
    .guest('POST /lti/launch/stored', (visit) => launch(visit, isSame(visit.form('stored'), visit.form('state'))))
    .elsewhere('GET /lti/register/:code', async (visit) => {
      const { origins } = await visit.core.lti.registerPlatform({
        code: String(visit.request.params['code']),
        openidConfiguration: visit.query('openid_configuration'),
        registrationToken: visit.query('registration_token'),
        portalUrl: visit.at.portal,
        senderIp: visit.senderIp,
      })
      allowParents(visit.response, origins, false)
      // the page closes the window that the platform opened
      visit.response.set('Cross-Origin-Opener-Policy', 'unsafe-none')
      return notedPage(visit, 'registered')
    })
    .guest('POST /lti/pick', framed(pick))
    .guest('POST /lti/pick/link', framed(send))

async function begin(visit: Visit, given: Visit['form']): Promise<Answer> {
  const started = await visit.core.lti.startLtiLogin({
    schoolId: String(visit.request.params['school']),
    portalUrl: visit.at.portal,
    senderIp: visit.senderIp,
    issuer: given('iss'),
    loginHint: given('login_hint'),
    targetLinkUri: given('target_link_uri'),
    ltiMessageHint: given('lti_message_hint'),
    clientId: given('client_id'),
    ltiDeploymentId: given('lti_deployment_id'),
    ltiStorageTarget: given('lti_storage_target'),
  })
  visit.response.set('Cache-Control', 'no-store')
  if (started.refused) return refusedOf(visit, started.refused)
  keepState(visit, started.state)
  if (given('lti_storage_target') === '') {
    visit.response.redirect(302, started.address)
    return
  }
  allowParents(visit.response, started.origins, false)
  return beginPage(visit, started, given('lti_storage_target'))
}

async function launch(visit: Visit, isBound: boolean): Promise<Answer> {
  const { core, form, at, senderIp, response } = visit
  const launched = await core.lti.launchLti({
    state: form('state'),
    idToken: form('id_token'),
    error: form('error'),
    isBound,
    portalUrl: at.portal,
    senderIp,
  })
  allowParents(response, launched.origins, false)
  response.set('Cache-Control', 'no-store')
  return pageOf(visit, launched)
}

async function pageOf(visit: Visit, launched: LaunchLtiResponse): Promise<Html> {
  switch (launched.kind) {
    case Kind.UNBOUND:
      // what has come from the storage and is still not bound goes to a new tab
      return unboundPage(visit, visit.form('stored') === '' ? launched : { ...launched, storageTarget: '' })
    case Kind.REFUSED:
      return refusedOf(visit, launched.refused!)
    case Kind.PLAY:
    case Kind.GUEST: {
      const game = launched.gameSlug === '' ? undefined : await ifFound(gameOf(visit, launched.gameSlug))
      return launched.kind === Kind.PLAY ? startPage(visit, launched, game) : guestPage(visit, game)
    }
    case Kind.TEACH:
      return teachPage(
        visit,
        launched,
        launched.gameSlug === '' ? undefined : await ifFound(gameOf(visit, launched.gameSlug)),
      )
    case Kind.PICK:
      return choices(visit, launched.token, launched.launchId)
    default:
      return nothingPage(visit)
  }
}

function refusedOf(visit: Visit, why: NonNullable<LaunchLtiResponse['refused']>): Html {
  visit.response.status(400)
  return refusedPage(visit, why.claim)
}

const choices = async (visit: Visit, token: string, launchId: string): Promise<Html> =>
  pickGamePage(visit, { token, launchId }, (await visit.core.games.listPublishedGames({})).games)

/** A page after a launch, which the pages of the platform may show. */
function framed(handler: (visit: Visit) => Promise<Answer>) {
  return async (visit: Visit): Promise<Answer> => {
    const { origins } = await visit.core.lti.getLtiFrame({ launchId: visit.form('launch') })
    allowParents(visit.response, origins, false)
    visit.response.set('Cache-Control', 'no-store')
    return handler(visit)
  }
}

async function pick(visit: Visit): Promise<Answer> {
  const { core, form } = visit
  const of = { token: form('token'), launchId: form('launch') }
  if (form('game') === '') return pickLinkPage(visit, of, undefined, [])
  const [game, { levels }] = await Promise.all([
    gameOf(visit, form('game')),
    core.lti.listLtiLevels({ token: form('token'), gameSlug: form('game') }),
  ])
  return pickLinkPage(visit, of, game.game, levels)
}

const gradings: Readonly<Record<string, LtiGrading>> = {
  first: LtiGrading.FIRST,
  best: LtiGrading.BEST,
  last: LtiGrading.LAST,
}

async function send(visit: Visit): Promise<Answer> {
  const { core, form, at } = visit
  try {
    const picked = await core.lti.pickLtiLink({
      token: form('token'),
      gameSlug: form('game'),
      level: form('level'),
      attempts: /^\d{1,2}$/.test(form('attempts')) ? Number(form('attempts')) : 0,
      grading: gradings[form('grading')],
      title: form('title'),
      portalUrl: at.portal,
    })
    allowForm(visit.response, new URL(picked.returnUrl).origin)
    return sendPickPage(visit, picked)
  } catch (error) {
    const failure = refused(visit, error)
    if (failure.path !== 'title') throw error
    return pick(visit)
  }
}
