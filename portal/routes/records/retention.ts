import { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { retention as limits } from '../../../shared/limits.ts'
import { PageFailure } from '../../web/failure.ts'
import { fields, retentionPage, type Keeping, type Months } from '../../pages/records/retention.ts'
import { developer, refused, seeOther, uuid, type Form, type Portal, type Visit } from '../../web/visit.ts'
import { slow } from '../../web/core-client.ts'
import { gameOf } from '../parts/game-of.ts'

/** How long data of a game is kept. */
export const retention = (portal: Portal): Router =>
  Router()
    .get(
      '/games/:id/retention',
      developer(portal, async (visit) => {
        if (visit.query('count') === '')
          return show(visit, {
            done: visit.query('done') === 'set' ? 'It is set. Removing begins within a minute.' : undefined,
          })
        try {
          const months = monthsIn(visit.query)
          const { expired } = await visit.core.retention.previewRetention(
            { gameId: uuid(visit), retention: months },
            slow,
          )
          return await show(visit, { asked: { months, expired: expired! } })
        } catch (error) {
          return show(visit, { failure: refused(visit, error), values: visit.query })
        }
      }),
    )
    .post(
      '/games/:id/retention',
      developer(portal, async (visit) => {
        try {
          await visit.core.retention.setRetention({ gameId: uuid(visit), retention: monthsIn(visit.form) })
          return seeOther(visit, `/games/${uuid(visit)}/retention?done=set`)
        } catch (error) {
          return show(visit, { failure: refused(visit, error), values: visit.form })
        }
      }),
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
