import type { Storage } from '../../../storage/storage.ts'
import type { Packages } from '../package/packages.ts'
import type { Thumbnails } from '../package/thumbnails.ts'
import { derivedKey } from '../rules/storage-keys.ts'
import type { Store } from '../../store.ts'

/** What commands on files of studios work with. */
export interface Files {
  readonly store: Store
  /** Builds, images, documents. */
  readonly storage: Storage
  readonly packages: Packages
  readonly thumbnails: Thumbnails
}

/** Removes a file or a build, and what was made of it. */
export async function removeStored(storage: Storage, key: string): Promise<void> {
  await storage.remove(key)
  const derived = derivedKey(key)
  if (derived !== undefined) await storage.remove(derived)
}

/** Removes files that are listed as garbage. If storage fails, the sweep removes them later. */
export async function removeNow(
  { store, storage }: Pick<Files, 'store' | 'storage'>,
  keys: readonly string[],
): Promise<void> {
  try {
    for (const key of keys) await removeStored(storage, key)
    await store.garbage.gone(keys)
  } catch {
    // the files stay listed as garbage
  }
}
