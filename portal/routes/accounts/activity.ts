import type { Router } from 'express'
import { activityPage } from '../../pages/accounts/studio/activity.ts'
import { routes } from '../../web/routes.ts'
import type { Form, Portal } from '../../web/visit.ts'

const dayMs = 24 * 60 * 60 * 1000

/** The audit log of a studio; core checks that the visitor is an owner. */
export const activity = (portal: Portal): Router =>
  routes(portal).signedIn('GET /studio/activity', async (visit) => {
    const { query, core } = visit
    const filter = { action: query('action').slice(0, 100), actor: query('person').slice(0, 320), ...dayOf(query) }
    const position = query('after').slice(0, 36)
    const { entries, next } = await core.audit.listOwnEntries({ filter, page: { position, limit: 50 } })
    return activityPage(visit, entries, next)
  })

/** A whole day, UTC; what is no day filters nothing. */
export function dayOf(query: Form): { since: bigint; until: bigint } {
  const start = /^\d{4}-\d\d-\d\d$/.test(query('day')) ? Date.parse(query('day')) : NaN
  return start > 0 ? { since: BigInt(start), until: BigInt(start + dayMs) } : { since: 0n, until: 0n }
}
