import type { Store } from '../store/store.ts'
import type { Tenancy } from '../xapi/dialect.ts'

/**
 * Compares the setting with what the store was used as. To keep games apart hides what was shared, and may begin at any
 * start. To share what was kept apart is an admin's decision, not that of a setting that somebody forgot.
 * @throws Error when it would share
 */
export async function keepTenancy({ tenancy: kept }: Pick<Store, 'tenancy'>, wanted: Tenancy): Promise<void> {
  // without writing where nothing changes: a core may have to start while the disk is nearly full
  if ((await kept.read()) === wanted) return
  await kept.keep(wanted)
  if ((await kept.read()) === wanted) return
  throw new Error(
    'this store was used with LRS_TENANCY=isolated, and LRS_TENANCY=shared (the default) would tell every game who is known to others, and by which names. ' +
    'Set LRS_TENANCY=isolated. If names are to be shared: start so, run "npx games-lrs learners share-names", and start again with LRS_TENANCY=shared.',
  )
}
