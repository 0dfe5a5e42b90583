import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { countingPage, type Setting } from '../../pages/analytics/counting.ts'
import { dayIn } from '../../pages/parts/data-filters.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { PageFailure } from '../../web/failure.ts'
import { routes } from '../../web/routes.ts'
import { notice, uuid, type Portal, type Visit } from '../../web/visit.ts'
import { gameOf } from '../parts/game-of.ts'

/** How times of statements become days of charts, and by what else they can be filtered, for owners. */
export const counting = (portal: Portal): Router =>
  routes(portal)
    .owner('GET /games/:id/counting', (visit) => show(visit))
    .owner(
      'POST /games/:id/counting/zone',
      async (visit) => {
        await visit.core.counting.setZone({ gameId: uuid(visit), zone: visit.form('zone').trim() })
        return `/games/${uuid(visit)}/counting?done=zone`
      },
      (visit, sent) => show(visit, sent, 'zone'),
    )
    .owner(
      'POST /games/:id/counting/start',
      async (visit) => {
        await visit.core.counting.setStart({ gameId: uuid(visit), start: secondsOf(visit.form('start')) })
        return `/games/${uuid(visit)}/counting?done=start`
      },
      (visit, sent) => show(visit, sent, 'start'),
    )
    .owner(
      'POST /games/:id/counting/cut',
      async (visit) => {
        await visit.core.counting.setCut({ gameId: uuid(visit), cut: visit.form('cut').trim() })
        return `/games/${uuid(visit)}/counting?done=cut`
      },
      (visit, sent) => show(visit, sent, 'cut'),
    )

const done = {
  zone: 'The time zone is set. All games of the studio are counted again.',
  start: 'The start is set. The game is counted again.',
  cut: 'The filter is set. The game is counted again.',
}

async function show(visit: Visit, sent?: Sent, setting?: Setting) {
  const [game, counting] = await Promise.all([gameOf(visit), visit.core.counting.getCounting({ gameId: uuid(visit) })])
  return countingPage(visit, game, counting, { sent, setting, done: notice(visit, done) })
}

/** @param day empty: no start @throws PageFailure */
function secondsOf(day: string): bigint {
  if (day === '') return 0n
  const at = dayIn(day) ?? Number.NaN
  if (at >= Date.UTC(2000) && at <= Date.now()) return BigInt(at / 1000)
  throw new PageFailure(Reason.INVALID, 'start: must be a day from 2000-01-01 to today, or empty', { path: 'start' })
}
