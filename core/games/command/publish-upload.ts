import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Storage, StoredObject } from '../../../storage/storage.ts'
import { comparedInBytes, unpackedFactor } from '../../../shared/limits.ts'
import type { BuildFile } from '../package/build-files.ts'
import { refused, shown } from '../package/entry-name.ts'
import { hashOf } from '../package/hash-of.ts'
import type { Unpacked } from '../package/packages.ts'
import { documentType, imageType, isDesktopPackage, whatIsNoDocument, whatIsNoPackage } from '../package/sniff.ts'
import { withoutMetadata } from '../package/strip-metadata.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Run } from '../../process/database/database.ts'
import { lifeOf, type GameRow } from '../store/games.ts'
import type { UploadRow } from '../store/uploads.ts'
import { next } from '../rules/lifecycle.ts'
import { effectiveQuotas } from '../rules/quotas.ts'
import { buildFolder, derivedKey, fileKey, uploadKey } from '../rules/storage-keys.ts'
import { buildOf, checkSize, fileOf, uploadKinds, type BuildKind, type FileKind } from '../rules/upload-kinds.ts'
import { Problem } from '../../process/problem.ts'
import { browserBuilds } from './compare-files.ts'
import { settlePage } from './edit-page.ts'
import type { Files } from './files.ts'
import { requireRoom } from './require-room.ts'
import { ours, say } from '../../../shared/say.ts'

/** A checked file in its final folder of storage. The database does not know it yet. */
export interface PublishedUpload {
  /** UUID of the build or file; empty for a logo. */
  readonly id: string
  /** Writes it to the database, in the transaction that has locked studio and game. */
  record(run: Run, game: GameRow | undefined): Promise<void>
}

/** Longer than a build can take to be checked, waiting for its turn included. */
const writingSeconds = 60 * 60
const maxPixels = 8_192

/**
 * Checks a complete upload, and unpacks or copies it to where it is read from.
 * @param all files of a browser build whose zip has only some; empty: it has them all
 * @param write is given each key before anything is written there
 * @throws Problem
 */
export async function publishUpload(
  files: Files,
  upload: UploadRow,
  all: readonly BuildFile[],
  write: (key: string, seconds: number) => Promise<void>,
): Promise<PublishedUpload> {
  const { store, storage } = files
  const { kind, fileName } = upload
  const build = buildOf(kind)
  if (build !== 'browser')
    await files.packages.scan({ key: uploadKey(upload.uploadId), fileName, studio: upload.studio })
  if (build) {
    const buildId = randomUUID()
    const content = build === 'browser' ? await unpackBuild(buildId) : await takePackage(buildId)
    requireSame(content.sha256)
    return { id: buildId, record: (run, game) => stage(run, game!, buildId, build, content) }
  }
  const object = await openUpload(storage, upload)
  const sent = await buffer(await object.read())
  const contentType = kind === 'teaching-note' ? checkDocument(fileName, sent) : checkImage(fileName, sent)
  const bytes = kind === 'teaching-note' ? sent : cleaned(contentType, fileName, sent)
  const fileId = randomUUID()
  const storageKey = fileKey(fileId)
  await write(storageKey, writingSeconds)
  await storage.write(storageKey, bytes, bytes.length)
  const small = await files.thumbnails.make(bytes, contentType, upload.studio)
  if (small) await storage.write(derivedKey(storageKey)!, small, small.length)
  const file = fileOf(kind)
  return {
    id: file ? fileId : '',
    record: (run, game) =>
      file ? addFile(run, game!, file) : store.studioProfiles.setLogo(upload.studio, storageKey, run),
  }

  async function addFile(run: Run, game: GameRow, file: FileKind): Promise<void> {
    await store.uploads.insertFile(run, {
      fileId,
      game: game.id,
      kind: file,
      fileName,
      contentType,
      size: bytes.length,
      storageKey,
    })
    await requireRoomForFile(run, game, file)
    await settlePage(store, run, game)
  }

  /** Checked again, since discarded changes may have brought files back. The upload itself still counts. */
  async function requireRoomForFile(run: Run, game: GameRow, file: FileKind): Promise<void> {
    const { size: quota, what } = uploadKinds[kind]
    const most = effectiveQuotas(await store.games.lockStudio(run, upload.studio))[quota]
    if ((await store.uploads.countFiles(run, game.id, file, kind)) - 1 <= most) return
    throw new Refusal(
      'quota-exceeded',
      say`${what} more is not possible: ${most} are there or on their way. Remove one first.`,
      { rule: `limits#${quota}` },
    )
  }

  /** The client may say the SHA-256, so that a damaged file is not taken for the one that was meant. */
  function requireSame(arrived: string): void {
    if (upload.sha256 === '' || upload.sha256 === arrived) return
    throw new Problem(shown(fileName), say`must arrive as it was sent: its SHA-256 is ${arrived}; upload it again`)
  }

  async function unpackBuild(buildId: string): Promise<Unpacked> {
    const prefix = buildFolder('browser', buildId)
    await write(prefix, writingSeconds)
    const folders = all.length === 0 ? [] : await browserBuilds(files, upload.studio, upload.gameId!)
    const whole = { files: all, folders: folders.map((id) => buildFolder('browser', id)) }
    const task = { key: uploadKey(upload.uploadId), fileName, prefix, studio: upload.studio }
    return files.packages.unpack(all.length === 0 ? task : { ...task, whole })
  }

  async function takePackage(buildId: string): Promise<Unpacked> {
    const object = await openUpload(storage, upload)
    const part = async (start: number, length: number) =>
      buffer(await object.read({ start, end: Math.min(start + length, object.size) - 1 }))
    const [head, tail] = [await part(0, 64 * 1024), await part(Math.max(0, object.size - 512), 512)]
    if (!isDesktopPackage(fileName, head, tail)) throw refused(fileName, whatIsNoPackage(fileName), 'desktop')
    const folder = buildFolder('desktop', buildId)
    await write(folder, writingSeconds)
    await storage.copy(uploadKey(upload.uploadId), folder + fileName)
    return { files: 1, expanded: object.size, sha256: await hashOf(await object.read()), reused: 0 }
  }

  /** The upload reserved room for its zip only. */
  async function requireWholeRoom(run: Run, size: number): Promise<void> {
    const allowed = effectiveQuotas(await store.games.lockStudio(run, upload.studio))
    checkSize(kind, size, allowed)
    await requireRoom(store, run, upload.studio, { size, reserved: upload.size, allowed })
  }

  async function stage(run: Run, game: GameRow, buildId: string, kind: BuildKind, content: Unpacked): Promise<void> {
    const { channel, version, notes } = upload
    const size = upload.size + content.reused
    if (all.length > 0) await requireWholeRoom(run, size)
    // the hash of a part is none of a package
    const sha256 = all.length > 0 ? '' : content.sha256
    const build = { buildId, game: game.id, kind, fileName, version, notes, ...content, size, sha256 }
    if (channel === 'beta') await store.builds.setBeta(run, build, game.beta)
    else {
      const staged = next(lifeOf(game), 'stage')
      if ('refused' in staged) throw new Refusal('conflict', ours(staged.refused))
      await store.builds.stage(run, build, staged.state, game.staged)
    }
    if (kind === 'browser') await requireRoomUnpacked(run)
    const { files: count, expanded } = content
    const told = { buildId, kind, fileName, size, files: count, expanded, channel, version }
    await store.webhookEvents.tell([game.id], 'build.uploaded', told, run)
  }

  /** A package of a few megabytes may unpack to gigabytes. */
  async function requireRoomUnpacked(run: Run): Promise<void> {
    const { storage: quota } = effectiveQuotas(await store.games.lockStudio(run, upload.studio))
    const held = await store.builds.unpacked(upload.studio, run)
    if (held <= unpackedFactor * quota) return
    const [all, most] = comparedInBytes(held, unpackedFactor * quota)
    throw new Refusal(
      'quota-exceeded',
      say`Unpacked, your browser builds would have ${all} with this one, and may have ${most}: make it smaller, or delete a draft.`,
      {
        rule: 'limits#storage',
      },
    )
  }
}

async function openUpload(storage: Storage, { uploadId, fileName, size }: UploadRow): Promise<StoredObject> {
  const object = await storage.open(uploadKey(uploadId))
  if (object?.size !== size) throw new Problem(shown(fileName), 'must arrive with the size that was said before')
  return object
}

function cleaned(contentType: string, fileName: string, bytes: Buffer): Buffer {
  const clean = withoutMetadata(contentType, bytes)
  if (!clean) throw refused(fileName, unclean, 'images')
  return clean
}

const unclean =
  'must be saved again with an image program: it holds more than a picture, such as a place, that cannot be removed'

function checkImage(fileName: string, bytes: Buffer): string {
  const image = imageType(bytes)
  if (!image)
    throw refused(fileName, 'must be an undamaged PNG, JPEG, WebP, GIF or AVIF image, whatever its name', 'images')
  const { contentType, width, height } = image
  if (Math.max(width, height) > maxPixels)
    throw refused(fileName, `must be at most 8,192 pixels wide and high; it has ${width} x ${height}`, 'images')
  return contentType
}

function checkDocument(fileName: string, bytes: Buffer): string {
  const contentType = documentType(fileName, bytes)
  if (!contentType) throw refused(fileName, whatIsNoDocument(fileName, bytes), 'documents')
  return contentType
}
