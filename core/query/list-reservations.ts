import { findStudio } from '../access/find-studio.ts'
import type { ListedReservation } from '../store/directory/reservations.ts'
import type { Store } from '../store/store.ts'

/** The reserved prefixes of one studio, or of all when none is named; for admins. @throws Refusal 'not-found' */
export async function listReservations(store: Store, studio: string): Promise<ListedReservation[]> {
  return store.reservations.list(studio === '' ? null : (await findStudio(store, studio)).studio)
}
