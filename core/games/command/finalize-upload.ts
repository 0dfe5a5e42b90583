import { leaseSeconds } from '../../../shared/limits.ts'
import { StorageFailure } from '../../../storage/storage.ts'
import { hold } from '../../process/jobs/hold.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { LeasedUpload } from '../store/uploads.ts'
import { uploadKey } from '../rules/storage-keys.ts'
import { buildOf, type UploadKind } from '../rules/upload-kinds.ts'
import type { BuildFile } from '../package/build-files.ts'
import { Problem } from '../../process/problem.ts'
import { beingChecked } from './cancel-upload.ts'
import { removeNow, type Files } from './files.ts'
import { noUpload } from './resume-upload.ts'
import { publishUpload } from './publish-upload.ts'

export interface Finalized {
  /** UUID of the build or file; empty for a logo. */
  readonly id: string
  /** UUID; empty for a logo. */
  readonly gameId: string
  readonly kind: UploadKind
}

/**
 * Checks an upload and publishes its content. An upload that breaks a rule is deleted, with its reservation. After any
 * other failure the upload is unchanged. Files are listed as garbage until the commit, so a crash leaves none behind.
 * @param all files of a browser build whose zip has only some; empty: it has them all
 */
export async function finalizeUpload(
  files: Files,
  developer: Developer,
  uploadId: string,
  all: readonly BuildFile[] = [],
): Promise<Finalized> {
  const { store, storage } = files
  await store.portalLimits.require('finalize', developer.studioId)
  const upload = await store.uploads.lease(uploadId, developer.studio, leaseSeconds)
  if (!upload) throw (await store.uploads.find(uploadId, developer.studio)) ? beingChecked() : noUpload()
  const held = hold(upload, store.uploads.renew, leaseSeconds)
  const written: string[] = []
  const write = async (key: string, seconds: number) => {
    written.push(key)
    await store.garbage.list([key], seconds)
  }
  try {
    await complete()
    const published = await publishUpload(files, upload, all, write)
    await store.transaction(async (run) => {
      await store.games.lockStudio(run, upload.studio)
      const game = upload.gameId === null ? undefined : await store.games.lock(run, upload.gameId, upload.studio)
      if (!game && upload.gameId !== null) throw new Refusal('not-found', 'The game was deleted meanwhile.')
      await published.record(run, game)
      const kept = await Promise.all(written.map((key) => store.garbage.keep(key, run)))
      if (kept.includes(false)) throw new Refusal('unavailable', 'The check took too long; try again.')
      if (!(await store.uploads.finish(upload, run))) throw noUpload()
    })
    await removeNow(files, [uploadKey(uploadId)])
    return { id: published.id, gameId: upload.gameId ?? '', kind: upload.kind }
  } catch (error) {
    await giveUp(files, upload, written, error instanceof Problem ? error : undefined)
    throw error
  } finally {
    held.end()
  }

  async function complete(): Promise<void> {
    try {
      await storage.complete({ key: uploadKey(uploadId), id: upload!.storageUpload, size: upload!.size })
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error
      if (error.reason === 'incomplete')
        throw new Refusal('conflict', 'Not all of the file has arrived: resume the upload, then finalize it.')
      if (error.reason === 'missing') throw noUpload()
      throw error
    }
  }
}

/** Leaves nothing that was written, and nothing of an upload that broke a rule. */
async function giveUp(
  files: Files,
  upload: LeasedUpload,
  written: readonly string[],
  broken: Problem | undefined,
): Promise<void> {
  const { uploads, garbage } = files.store
  const { uploadId } = upload
  try {
    const ended = broken !== undefined && (await refuse(files, upload, broken))
    if (!broken) await uploads.release(upload)
    // only files that are still listed: a commit whose answer was lost has taken them off the list
    const keys = await garbage.hasten(written)
    await removeNow(files, ended ? [...keys, uploadKey(uploadId)] : keys)
  } catch {
    // the database is away: the lease ends, and the sweep removes what is listed
  }
}

/** Deletes an upload that broke a rule, and tells webhooks of a build; false: it has ended otherwise. */
function refuse({ store }: Files, upload: LeasedUpload, { message }: Problem): Promise<boolean> {
  const { gameId, studio, kind, fileName, size } = upload
  return store.transaction(async (run) => {
    const game = buildOf(kind) && gameId !== null ? await store.games.lock(run, gameId, studio) : undefined
    if (!(await store.uploads.finish(upload, run))) return false
    const told = { kind: buildOf(kind), fileName, size, reason: message.slice(0, 1_000) }
    if (game) await store.webhookEvents.tell([game.id], 'build.refused', told, run)
    return true
  })
}
