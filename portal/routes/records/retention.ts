import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { retention as limits } from '../../../shared/limits.ts'
import { PageFailure } from '../../web/failure.ts'
import { fields, retentionPage, type Keeping, type Months } from '../../pages/records/retention.ts'
import { routes } from '../../web/routes.ts'
import { notice, uuid, type Form, type Portal, type Visit } from '../../web/visit.ts'
import { slow } from '../../web/core-client.ts'
import { gameOf } from '../parts/game-of.ts'

/** How long data of a game is kept. */
export const retention = (portal: Portal): Router =>
  routes(portal)
    .developer(
      'GET /games/:id/retention',
      async (visit) => {
        if (visit.query('count') === '')
          return show(visit, { done: notice(visit, { set: 'It is set. Removing begins within a minute.' }) })
        const months = monthsIn(visit.query)
        const { expired } = await visit.core.retention.previewRetention(
          { gameId: uuid(visit), retention: months },
          slow,
        )
        return await show(visit, { asked: { months, expired: expired! } })
      },
      (visit, sent) => show(visit, { failure: sent.failure, values: visit.query }),
    )
    .developer(
      'POST /games/:id/retention',
      async (visit) => {
        await visit.core.retention.setRetention({ gameId: uuid(visit), retention: monthsIn(visit.form) })
        return `/games/${uuid(visit)}/retention?done=set`
      },
      show,
    )

async function show(visit: Visit, keeping: Keeping) {
  const [game, found] = await Promise.all([gameOf(visit), visit.core.retention.getRetention({ gameId: uuid(visit) })])
  return retentionPage(visit, game, found, keeping)
}

/** @throws PageFailure */
function monthsIn(form: Form): Months {
  const { least, most } = limits.months
  const [statementMonths, learnerMonths, sandboxMonths] = fields.map((name) => {
    const text = form(name).trim()
    if (text === '') return 0
    const months = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
    if (months >= least && months <= most) return months
    throw new PageFailure(Reason.INVALID, `${name}: must be a number of months from ${least} to ${most}, or empty`, {
      path: name,
    })
  })
  return { statementMonths: statementMonths!, learnerMonths: learnerMonths!, sandboxMonths: sandboxMonths! }
}
