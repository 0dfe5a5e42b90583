import { ListReservationsResponseSchema } from '../../gen/lrs/v1/reservations_pb.js'
import { jsonOf } from '../json-of.ts'
import type { Work } from '../session.ts'
import { table, time } from '../show.ts'

export const listReservations: Work<object> = async (session, [studio = '']) => {
  const found = await (await session.connect()).reservations.listReservations({ studio })
  const rows = found.reservations.map(({ prefix, studioName, studioSlug, granted }) => [
    prefix,
    studioName,
    studioSlug,
    time(granted),
  ])
  const text = table(['prefix', 'studio', 'slug', 'since (UTC)'], rows, 'Nothing is reserved.')
  return { json: jsonOf(ListReservationsResponseSchema, found), text }
}

export const grant: Work<object> = async (session, [studio, prefix]) => {
  await (await session.connect()).reservations.reserve({ studio, prefix })
  const text = `Reserved for ${studio}: ${prefix}\nEvery core applies it within 5 seconds.`
  return { json: { studio: studio!, prefix: prefix! }, text }
}

export const withdraw: Work<object> = async (session, [prefix]) => {
  await (await session.connect()).reservations.withdrawReservation({ prefix })
  const text = `No longer reserved: ${prefix}\nEvery core applies it within 5 seconds.`
  return { json: { prefix: prefix! }, text }
}
