import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { rosters as limits } from '../../../shared/limits.ts'
import { rosterPage } from '../../pages/games/schools/roster.ts'
import { slow } from '../../web/core-client.ts'
import { fileForm, fileIn } from '../../web/file-form.ts'
import { toLearner } from '../../web/failure.ts'
import { routes, type Refused } from '../../web/routes.ts'
import { isAtSchool, type Portal, type SignedIn } from '../../web/visit.ts'

/** Classes and pupils of a school from a OneRoster file. */
export function rosters(portal: Portal): Router {
  const router = routes(portal)
  router.post('/roster', ...fileForm(portal, limits.zip))
  return router
    .owner('GET /roster', (visit) =>
      isAtSchool(visit) ? rosterPage(visit, { isDone: visit.query('done') !== '' }) : '/games',
    )
    .owner(
      'POST /roster',
      async (visit) => {
        const zip = await fileIn(visit.request.body, 'zip')
        const read = await visit.core.rosters.readRoster({ zip }, slow)
        return rosterPage(visit, { read })
      },
      again,
    )
    .owner(
      'POST /roster/confirm',
      async (visit) => {
        const { core, form } = visit
        const { now } = await core.rosters.confirmRoster(
          {
            rosterId: form('roster_id'),
            fingerprint: form('fingerprint'),
            leavers: Number(form('leavers')) >>> 0,
          },
          slow,
        )
        return now ? rosterPage(visit, { now, isSame: now.fingerprint === form('fingerprint') }) : '/roster?done=yes'
      },
      again,
    )
}

function again(visit: SignedIn, { failure }: Refused) {
  const isGone = failure.reason === Reason.NOT_FOUND || failure.reason === Reason.CONFLICT
  const told = isGone ? { ...failure, message: visit.say.text('roster.gone') } : toLearner(visit.say, failure)
  return rosterPage(visit, { failure: told })
}
