import { partSizes, StorageFailure, type ArrivedPart } from '../../../storage/storage.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import { uploadKey } from '../rules/storage-keys.ts'
import type { Files } from './files.ts'
import { addresses, type GrantedUpload } from './request-upload.ts'

export const noUpload = () =>
  new Refusal(
    'not-found',
    'There is no such upload: it was finalized, refused or cancelled, or its time is over. Upload the file again.',
  )

/** Finds the missing parts of an upload and signs addresses for them. */
export async function resumeUpload(
  { store, storage }: Pick<Files, 'store' | 'storage'>,
  developer: Developer,
  uploadId: string,
): Promise<GrantedUpload> {
  await store.portalLimits.require('uploadUrl', developer.studioId)
  const upload = await store.uploads.find(uploadId, developer.studio)
  if (!upload) throw noUpload()
  const arrived = await storage
    .arrived({ key: uploadKey(uploadId), id: upload.storageUpload, size: upload.size })
    .catch((error: unknown): ArrivedPart[] => {
      if (error instanceof StorageFailure && error.reason === 'missing') throw noUpload()
      throw error
    })
  const there = new Set(arrived.map(({ number }) => number))
  const missing = partSizes(upload.size, storage.partSize).flatMap((_, index) =>
    there.has(index + 1) ? [] : [index + 1],
  )
  return { upload, missing: missing.length === 0 ? [] : await addresses(storage, upload, missing) }
}
