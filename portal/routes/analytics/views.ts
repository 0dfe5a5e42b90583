import type { Router } from 'express'
import { viewsPage, type Address } from '../../pages/analytics/views.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { routes } from '../../web/routes.ts'
import { notice, uuid, type Form, type Portal, type Visit } from '../../web/visit.ts'
import { gameOf } from '../parts/game-of.ts'

const done = { saved: 'Saved.', renamed: 'The view has its new name.', deleted: 'The view is deleted.' }

/** Saved views of the results of a game. */
export const views = (portal: Portal): Router =>
  routes(portal)
    .signedIn('GET /games/:id/views', (visit) =>
      show(visit, { address: visit.request.query['page'] === undefined ? undefined : addressIn(visit.query) }),
    )
    .developer(
      'POST /games/:id/views',
      async (visit) => {
        await visit.core.watching.saveView({
          gameId: uuid(visit),
          name: visit.form('name'),
          ...addressIn(visit.form),
        })
        return `${pathOf(visit)}?done=saved`
      },
      (visit, sent) => show(visit, { sent, address: addressIn(visit.form) }),
    )
    .developer(
      'POST /games/:id/views/:view',
      async (visit) => {
        await visit.core.watching.renameView({ ...viewOf(visit), name: visit.form('name') })
        return `${pathOf(visit)}?done=renamed`
      },
      (visit, sent) => show(visit, { sent }),
    )
    .developer('POST /games/:id/views/:view/delete', async (visit) => {
      await visit.core.watching.deleteView(viewOf(visit))
      return `${pathOf(visit)}?done=deleted`
    })

const pathOf = (visit: Visit): string => `/games/${uuid(visit)}/views`
const viewOf = (visit: Visit) => ({ gameId: uuid(visit), viewId: uuid(visit, 'view') })
const addressIn = (of: Form): Address => ({ page: of('page'), query: of('query') })

async function show(visit: Visit, more: { address?: Address | undefined; sent?: Sent }) {
  const [game, { views }] = await Promise.all([gameOf(visit), visit.core.watching.listViews({ gameId: uuid(visit) })])
  return viewsPage(visit, game, views, { ...more, done: notice(visit, done) })
}
