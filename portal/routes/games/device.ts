import type { Router } from 'express'
import { deviceCodePage, deviceLinkedPage, openGamePage } from '../../pages/games/play/device.ts'
import { entrancePage } from '../../pages/games/play/play.ts'
import { toLearner } from '../../web/failure.ts'
import { routes, type Refused } from '../../web/routes.ts'
import { notice, refusedLearner, type Portal, type Visit } from '../../web/visit.ts'
import { ifFound } from '../parts/launch.ts'
import { codeOf, isProven, keepLearner, nobody, provenNow, readLearner } from '../parts/learner-cookie.ts'
import { gameOf, isHttps, learnerOf, slugOf } from '../parts/player.ts'

/** Learners link an installed game: by the code that it shows, or by a link that opens it. */
export const device = (portal: Portal): Router =>
  routes(portal)
    .page(
      'GET /device',
      async (visit) =>
        visit.query('user_code') === ''
          ? deviceCodePage(visit, {}, notice(visit, { denied: visit.say.text('device.denied') }))
          : askPage(visit, visit.query('user_code'), visit.query('invitation')),
      (visit, { failure }) => deviceCodePage(visit, { failure: toLearner(visit.say, failure), values: visit.query }),
    )
    .page(
      'POST /device/allow',
      async (visit) => {
        const { core, form, senderIp } = visit
        const userCode = form('user_code')
        const { slug } = await core.devices.getCode({ userCode, senderIp })
        const before = readLearner(visit.request, slug, isHttps(visit))
        const isBack = form('as') === 'before'
        try {
          const { learnerToken, learnerName } = await core.devices.allowDevice({
            userCode,
            learner: {
              senderIp,
              invitation: form('invitation'),
              learnerName: form('learner_name'),
              learnerToken: isBack ? before.learnerToken : '',
              consent: form('consent'),
            },
          })
          if (!isBack && form('remember') !== '')
            keepLearner(visit, slug, isHttps(visit), { ...nobody, learnerToken, learnerName, proven: provenNow() })
          return `/device/linked/${slug}`
        } catch (error) {
          return askPage(visit, userCode, form('invitation'), refusedLearner(visit, error))
        }
      },
      codeAgain,
    )
    .page(
      'POST /device/deny',
      async ({ core, form, senderIp }) => {
        await core.devices.denyDevice({ userCode: form('user_code'), senderIp })
        return '/device?done=denied'
      },
      codeAgain,
    )
    .page('GET /device/linked/:slug', async (visit) => {
      const learner = learnerOf(visit)
      const known = learner.learnerToken !== ''
      const code = known && isProven(learner) ? codeOf(learner.learnerToken) : undefined
      return deviceLinkedPage(visit, await gameOf(visit), { known, code })
    })
    .page('POST /play/:slug/open', async (visit) => {
      const { sessionSecret } = learnerOf(visit)
      if (sessionSecret === '') return `/play/${slugOf(visit)}`
      const { link } = await visit.core.devices.makeLink({ sessionSecret, senderIp: visit.senderIp })
      return openGamePage(visit, await gameOf(visit), link)
    })

const codeAgain = (visit: Visit, { failure, values }: Refused) =>
  deviceCodePage(visit, { failure: toLearner(visit.say, failure), values })

/** Which game asks, and who plays it. */
async function askPage(visit: Visit, typed: string, invitation: string, failure?: ReturnType<typeof refusedLearner>) {
  const { core, senderIp } = visit
  const { slug, userCode } = await core.devices.getCode({ userCode: typed, senderIp })
  const game = await gameOf(visit, slug)
  const found = invitation === '' ? undefined : await ifFound(core.launches.getInvitation({ slug, code: invitation }))
  const { learnerToken, learnerName } = readLearner(visit.request, slug, isHttps(visit))
  return entrancePage(visit, game, {
    failure,
    values: failure ? visit.form : visit.query,
    invited: found && { code: invitation, name: found.learnerName, agreed: found.agreed },
    known: learnerToken === '' ? undefined : learnerName,
    device: userCode,
  })
}
