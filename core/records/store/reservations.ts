import type { Reservation as ReservationMessage } from '../../../gen/lrs/v1/reservations_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import type { Reservation } from '../rules/reserved-prefix.ts'
import { sql, type Database } from '../../process/database/database.ts'

/** A reservation, for display. */
export type ListedReservation = Fields<ReservationMessage>

// one row without a prefix: no change, or no reservations
const read = sql('reservations_read')`select c.changes, p.prefix, p.studio
    from reservation_change c left join reserved_prefix p on c.changes <> $1::bigint`
const list = sql('reservations_list')`
  select p.prefix, s.uuid as "studioId", s.name as "studioName", s.slug as "studioSlug",
      extract(epoch from p.granted)::bigint::float8 as granted
    from reserved_prefix p join studio s on s.id = p.studio where $1::int is null or p.studio = $1 order by p.prefix`
const change = sql('reservations_change')`update reservation_change set changes = changes + 1`
const all = sql('reservations_all')`select prefix, studio from reserved_prefix`
const grant = sql('reservation_grant')`
  insert into reserved_prefix (prefix, studio) values ($1, $2) on conflict (prefix) do nothing`
const withdraw = sql('reservation_withdraw')`delete from reserved_prefix where prefix = $1 returning prefix`

/** IRI prefixes that studios have reserved. */
export function reservationStore({ run, transaction }: Database) {
  return {
    /** The count of changes, and all reservations if it differs from `since`; -1 differs always. */
    async read(since: number): Promise<{ changes: number; reservations?: Reservation[] }> {
      const rows = await run<{ changes: string; prefix: string | null; studio: number }>(read, [since])
      const changes = Number(rows[0]!.changes)
      if (changes === since) return { changes }
      return {
        changes,
        reservations: rows.flatMap(({ prefix, studio }) => (prefix === null ? [] : { prefix, studio })),
      }
    },

    /** Sorted by prefix. @param studio null: all studios */
    list: (studio: number | null) => run<ListedReservation>(list, [studio]),

    /** Adds a reservation. @param admit throws if it conflicts with these ones, which are locked until the commit */
    grant: ({ prefix, studio }: Reservation, admit: (held: Reservation[]) => void): Promise<void> =>
      transaction(async (run) => {
        await run(change, [])
        admit(await run<Reservation>(all, []))
        await run(grant, [prefix, studio])
      }),

    /** False when nobody has reserved it. */
    withdraw: (prefix: string): Promise<boolean> =>
      transaction(async (run) => {
        await run(change, [])
        return (await run(withdraw, [prefix])).length === 1
      }),
  }
}
