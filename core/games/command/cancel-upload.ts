import { Refusal } from '../../process/refusal.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import { uploadKey } from '../rules/storage-keys.ts'
import { removeNow, type Files } from './files.ts'
import { noUpload } from './resume-upload.ts'

/** Releases the reserved bytes and removes the parts that have arrived. */
export async function cancelUpload(
  files: Pick<Files, 'store' | 'storage'>,
  developer: Developer,
  { uploadId }: { readonly uploadId: string },
): Promise<void> {
  if (!(await files.store.uploads.cancel(uploadId, developer.studio))) {
    throw (await files.store.uploads.find(uploadId, developer.studio)) ? beingChecked() : noUpload()
  }
  await removeNow(files, [uploadKey(uploadId)])
}

export const beingChecked = () =>
  new Refusal('conflict', 'The upload is being checked already; its result will show with the game.')
