import { WatchingService } from '../../../gen/lrs/v1/watching_pb.js'
import { deleteView, listViews, renameView, saveView } from '../command/saved-views.ts'
import { getAlerts, setAlerts } from '../command/raise-alerts.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { ofGame, reads } from '../../process/methods/audit-entries.ts'
import { studioOf } from '../../process/methods/developer.ts'

const ofView = (action: string) => ({
  ...ofGame(action),
  details: ({ viewId }: { viewId: string }) => ({ view: viewId }),
})

/** Saved views and alerts of a game. */
export const watchingService = service(WatchingService, {
  listViews: method({ right: 'analyst', token: 'read', audit: reads }, async (core, { gameId }, context) => ({
    views: await listViews(core.store, await studioOf(core, context), gameId),
  })),
  saveView: method(
    { right: 'developer', audit: { ...ofGame('game.save-view'), details: (_, done) => ({ view: done?.viewId }) } },
    async (core, request, context) => saveView(core.store, await studioOf(core, context), request),
  ),
  renameView: method({ right: 'developer', audit: ofView('game.rename-view') }, async (core, request, context) =>
    renameView(core.store, await studioOf(core, context), request),
  ),
  deleteView: method({ right: 'developer', audit: ofView('game.delete-view') }, async (core, request, context) =>
    deleteView(core.store, await studioOf(core, context), request),
  ),
  getAlerts: method({ right: 'analyst', token: 'read', audit: reads }, async (core, { gameId }, context) => {
    const { alerts } = await getAlerts(core.store, await studioOf(core, context), gameId)
    return { alerts: alerts.map(({ raised, ...of }) => ({ ...of, raised: BigInt(raised) })) }
  }),
  setAlerts: method(
    {
      right: 'developer',
      audit: { ...ofGame('game.set-alerts'), details: ({ off }, done) => (done ? { off: off.join(' ') } : {}) },
    },
    async (core, request, context) => setAlerts(core.store, await studioOf(core, context), request),
  ),
})
