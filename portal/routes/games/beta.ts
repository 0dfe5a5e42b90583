/*
 * People who are no members play the beta by the link that its studio made. Their session is one of the sandbox. A cookie
 * of the link has its secret until the browser is closed; nobody is remembered.
 */
import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { Launch } from '../../../gen/lrs/v1/launches_pb.js'
import { PageFailure, toLearner } from '../../web/failure.ts'
import { ifFound, sendLaunch } from '../parts/launch.ts'
import { forgetBeta, keepBeta, readBeta } from '../parts/learner-cookie.ts'
import { betaPage, betaWays } from '../../pages/games/play/beta.ts'
import { gamePlayPage } from '../../pages/games/play/play.ts'
import { routes } from '../../web/routes.ts'
import { isSecure, notice, type Portal, type Visit } from '../../web/visit.ts'

export const beta = (portal: Portal): Router =>
  routes(portal)
    .page('GET /beta/:code', async (visit) => {
      const done = notice(visit, { left: visit.say.text('beta.left') })
      return betaPage(visit, await betaOf(visit), codeOf(visit), { values: visit.query, done })
    })
    .page(
      'POST /beta/:code',
      async (visit) => {
        const { core, form, senderIp } = visit
        const code = codeOf(visit)
        const { launch } = await core.launches.startBeta({ code, learnerName: form('learner_name'), senderIp })
        await end(visit)
        keepBeta(visit.response, code, isSecure(visit.at), launch!.sessionSecret)
        return betaWays(code).game
      },
      async (visit, { failure, values }) =>
        betaPage(visit, await betaOf(visit), codeOf(visit), { failure: toLearner(visit.say, failure), values }),
    )
    .page('GET /beta/:code/game', async (visit) => {
      const code = codeOf(visit)
      const { game, build } = await betaOf(visit)
      const launch = await launchOf(visit)
      // it ends with the beta: who loads the page again plays the next one
      if (!launch || launch.buildId !== build?.buildId) return betaWays(code).start
      const named = { ...game!, name: visit.say.text('beta.title', { game: game!.name }) }
      return gamePlayPage(visit, { game: named, build }, launch, betaWays(code))
    })
    .page('GET /beta/:code/launch.json', async (visit) => sendLaunch(visit, await launchOf(visit)))
    .page('POST /beta/:code/end', async (visit) => {
      const code = codeOf(visit)
      await end(visit)
      forgetBeta(visit.response, code, isSecure(visit.at))
      return `${betaWays(code).start}?done=left`
    })

/** The code in the address. It becomes part of the name of a cookie, hashed. */
function codeOf({ request }: Visit): string {
  const code = String(request.params['code'])
  if (/^[\w-]{43}$/.test(code)) return code
  throw new PageFailure(Reason.NOT_FOUND, 'This link does not exist or has ended: ask the studio for another one.')
}

const betaOf = (visit: Visit) => visit.core.launches.getBeta({ code: codeOf(visit) })

/** The launch of this browser's session by the link; undefined: it has none, or it has ended. */
async function launchOf(visit: Visit): Promise<Launch | undefined> {
  const sessionSecret = readBeta(visit.request, codeOf(visit), isSecure(visit.at))
  if (sessionSecret === '') return undefined
  const found = await ifFound(visit.core.launches.getLaunch({ sessionSecret }))
  return found?.launch?.sandbox ? found.launch : undefined
}

/** Ends the session that this browser has by the link, if there is one. */
async function end(visit: Visit): Promise<void> {
  const sessionSecret = readBeta(visit.request, codeOf(visit), isSecure(visit.at))
  if (sessionSecret !== '') await visit.core.launches.endLaunch({ sessionSecret })
}
