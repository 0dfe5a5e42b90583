import { CountingService } from '../../../gen/lrs/v1/counting_pb.js'
import { isZone } from '../../process/rules/zone.ts'
import { clockOf, setCut, setStart, setZone } from '../command/set-clock.ts'
import { isCut } from '../rules/cut.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { ofGame, reads } from '../../process/methods/audit-entries.ts'
import { studioOf } from '../../process/methods/developer.ts'

/** How times of statements become days of counts, and by what else counts can be narrowed. */
export const countingService = service(CountingService, {
  getCounting: method({ right: 'analyst', token: 'read', audit: reads }, async (core, { gameId }, context) => {
    const { zone, start, cut } = await clockOf(core.store, await studioOf(core, context), gameId)
    return { zone, cut: cut ?? '', start: (start ?? 0) / 1000 }
  }),
  setZone: method(
    { right: 'owner', audit: { ...ofGame('game.set-zone'), details: ({ zone }) => (isZone(zone) ? { zone } : {}) } },
    async (core, { gameId, zone }, context) => setZone(core.store, await studioOf(core, context), gameId, zone),
  ),
  setStart: method(
    { right: 'owner', audit: { ...ofGame('game.set-start'), details: ({ start }) => ({ start: Number(start) }) } },
    async (core, { gameId, start }, context) =>
      setStart(core.store, await studioOf(core, context), gameId, Number(start)),
  ),
  setCut: method(
    { right: 'owner', audit: { ...ofGame('game.set-cut'), details: ({ cut }) => (isCut(cut) ? { cut } : {}) } },
    async (core, { gameId, cut }, context) => setCut(core.store, await studioOf(core, context), gameId, cut),
  ),
})
