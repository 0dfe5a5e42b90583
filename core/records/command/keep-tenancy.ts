import type { Store } from '../../store.ts'
import type { Tenancy } from '../xapi/dialect.ts'

/**
 * Compares LRS_TENANCY with its last value in the store. From shared to isolated is safe at any start. From isolated to
 * shared needs an admin's decision, since the setting may only be missing by mistake.
 * @throws Error when isolated would become shared
 */
export async function keepTenancy({ tenancy: kept }: Pick<Store, 'tenancy'>, wanted: Tenancy): Promise<void> {
  // write only a change: a core must start on a nearly full disk
  if ((await kept.read()) === wanted) return
  await kept.keep(wanted)
  if ((await kept.read()) === wanted) return
  throw new Error(
    'this store was used with LRS_TENANCY=isolated, and LRS_TENANCY=shared (the default) would show every game the ' +
      'learners of all games and their names. Set LRS_TENANCY=isolated. To share names: start with isolated, run ' +
      '"./games-lrs learners share-names", and start again with LRS_TENANCY=shared.',
  )
}
