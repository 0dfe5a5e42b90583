import type { ServiceImpl } from '@connectrpc/connect'
import type { ReservationService } from '../../../gen/lrs/v1/reservations_pb.js'
import { reservePrefix, withdrawPrefix } from '../../command/games/reserve-prefix.ts'
import type { Core } from '../../context.ts'
import { listReservations } from '../../query/list-reservations.ts'
import type { ListedReservation } from '../../store/directory/reservations.ts'
import { developer } from './developer.ts'

/** Reserved prefixes: admins grant them, studios see their own. */
export function reservationService(core: Core): ServiceImpl<typeof ReservationService> {
  const { store } = core
  return {
    listReservations: async ({ studio }) => ({ reservations: (await listReservations(store, studio)).map(messageOf) }),
    async reserve({ studio, prefix }) {
      await reservePrefix(core, studio, prefix)
      core.log.info({ studio, prefix }, 'a prefix of activities was reserved')
      return {}
    },
    async withdrawReservation({ prefix }) {
      await withdrawPrefix(core, prefix)
      core.log.info({ prefix }, 'the reservation of a prefix was withdrawn')
      return {}
    },
    async listOwnReservations(_request, context) {
      const { studio } = await developer(core, context)
      return { reservations: (await store.reservations.list(studio)).map(messageOf) }
    },
  }
}

const messageOf = ({ granted, ...reservation }: ListedReservation) => ({ ...reservation, granted: BigInt(granted) })
