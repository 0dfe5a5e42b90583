import { ReservationService } from '../../../gen/lrs/v1/reservations_pb.js'
import { reservePrefix, withdrawPrefix } from '../command/reserve-prefix.ts'
import { findStudio } from '../../accounts/access/find-studio.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, studio, prefix } from '../../process/methods/audit-entries.ts'
import { developer } from '../../process/methods/developer.ts'

/** Reserved prefixes: admins grant them, studios see their own. */
export const reservationService = service(ReservationService, {
  listReservations: method({ right: 'none', audit: reads }, async ({ store }, { studio }) => ({
    reservations: await store.reservations.list(studio === '' ? null : (await findStudio(store, studio)).studio),
  })),
  reserve: method(
    {
      right: 'none',
      audit: { action: 'studio.reserve-prefix', subject: studio, details: ({ prefix }) => ({ prefix }) },
    },
    async (core, { studio, prefix }) => {
      await reservePrefix(core, studio, prefix)
      core.log.info({ studio, prefix }, 'a prefix of activities was reserved')
    },
  ),
  withdrawReservation: method(
    { right: 'none', audit: { action: 'studio.withdraw-prefix', subject: prefix } },
    async (core, { prefix }) => {
      await withdrawPrefix(core, prefix)
      core.log.info({ prefix }, 'the reservation of a prefix was withdrawn')
    },
  ),
  listOwnReservations: method({ right: 'analyst', token: 'read', audit: reads }, async (core, _request, context) => {
    const { studio } = await developer(core, context)
    return { reservations: await core.store.reservations.list(studio) }
  }),
})
