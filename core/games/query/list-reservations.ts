import { findStudio } from '../../accounts/access/find-studio.ts'
import type { ListedReservation } from '../../records/store/reservations.ts'
import type { Store } from '../../store.ts'

/** The reserved prefixes of one studio, or of all when none is named; for admins. @throws Refusal 'not-found' */
export async function listReservations(store: Store, studio: string): Promise<ListedReservation[]> {
  return store.reservations.list(studio === '' ? null : (await findStudio(store, studio)).studio)
}
