import type { Storage } from '../../../storage/storage.ts'
import type { Packages } from '../package/packages.ts'
import type { Store } from '../../store.ts'

/** What commands on files of studios work with. */
export interface Files {
  readonly store: Store
  /** Builds, images, documents. */
  readonly storage: Storage
  readonly packages: Packages
}

/** Removes files that are listed as garbage. If storage fails, the sweep removes them later. */
export async function removeNow(
  { store, storage }: Pick<Files, 'store' | 'storage'>,
  keys: readonly string[],
): Promise<void> {
  try {
    for (const key of keys) await storage.remove(key)
    await store.garbage.gone(keys)
  } catch {
    // the files stay listed as garbage
  }
}
