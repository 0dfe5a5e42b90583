import { randomUUID } from 'node:crypto'
import { type PartTarget, type Storage, partSizes } from '../../../storage/storage.ts'
import { portalLimits, reservationSeconds } from '../../../shared/limits.ts'
import { noGame } from '../../records/access/no-game.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Run } from '../../process/database/database.ts'
import { lifeOf } from '../store/games.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { UploadRow } from '../store/uploads.ts'
import { uploadKey } from '../rules/storage-keys.ts'
import { buildWords, type BuildWords } from '../rules/channels.ts'
import { next } from '../rules/lifecycle.ts'
import { packagingRule } from '../rules/packaging.ts'
import { effectiveQuotas, type Quotas } from '../rules/quotas.ts'
import { buildOf, fileOf, uploadKinds, type UploadKind, checkSize, fileName } from '../rules/upload-kinds.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'
import { Problem } from '../../process/problem.ts'
import type { Files } from './files.ts'
import { requireRoom } from './require-room.ts'
import { ours, say } from '../../../shared/say.ts'

/** A file that a studio would like to upload. */
export interface AskedUpload {
  /** UUID; empty for a logo. */
  readonly gameId: string
  readonly kind: UploadKind
  readonly fileName: string
  readonly size: number
  /** Of a build. */
  readonly words: BuildWords
}

/** An upload with addresses for the parts that are missing. */
export interface GrantedUpload {
  readonly upload: UploadRow
  readonly missing: PartTarget[]
}

/** Seconds for which an address is valid. Resuming the upload gives new ones. */
const addressSeconds = 6 * 60 * 60
/** Extra seconds: a finalization that began in time may still run when the reservation ends. */
const slackSeconds = 60 * 60

/** Reserves storage for a file. A refused request does not count as one of the day's uploads. */
export async function requestUpload(
  { store, storage }: Pick<Files, 'store' | 'storage'>,
  developer: Developer,
  asked: AskedUpload,
): Promise<GrantedUpload> {
  await store.portalLimits.require('uploadUrl', developer.studioId)
  const name = fileName(asked.fileName)
  const { kind, size } = asked
  const words = buildWords(asked.words)
  const uploadId = randomUUID()
  const expires = await store.transaction(async (run) => {
    const allowed = effectiveQuotas(await store.games.lockStudio(run, developer.studio))
    const game = kind === 'logo' ? null : await reserveForGame(run, asked, allowed)
    if (kind === 'logo') {
      checkSize(kind, size, allowed)
      await store.uploads.cancelLogos(run, developer.studio)
    }
    await store.garbage.list([uploadKey(uploadId)], reservationSeconds + slackSeconds, run)
    return store.uploads.insert(
      run,
      { uploadId, studio: developer.studio, game, kind, fileName: name, size, ...words },
      reservationSeconds,
    )
  })
  const storageUpload = await begin()
  const gameId = kind === 'logo' ? null : asked.gameId
  const upload: UploadRow = {
    uploadId,
    studio: developer.studio,
    gameId,
    kind,
    fileName: name,
    size,
    storageUpload,
    expires,
    ...words,
  }
  const parts = partSizes(size, storage.partSize).map((_, index) => index + 1)
  return { upload, missing: await addresses(storage, upload, parts) }

  /** Checks in the order of the interface: owner, sizes and counts, quotas, and last the day's uploads. */
  async function reserveForGame(run: Run, { gameId }: AskedUpload, allowed: Quotas): Promise<number> {
    const game = await store.games.lock(run, gameId, developer.studio)
    if (!game) throw noGame()
    const file = fileOf(kind)
    if (!file) {
      const staged = next(lifeOf(game), 'stage')
      if (words.channel === 'live' && 'refused' in staged) throw new Refusal('conflict', ours(staged.refused))
      checkSize(kind, size, allowed)
      await requireRoom(store, run, developer.studio, { size, reserved: 0, allowed })
      await requireUploadsOfToday(run)
      return game.id
    }
    checkSize(kind, size, allowed)
    const { size: quota, what } = uploadKinds[kind]
    if ((await store.uploads.countFiles(run, game.id, file, kind)) >= allowed[quota]) {
      throw new Refusal(
        'quota-exceeded',
        say`${what} more is not possible: ${allowed[quota]} are there or on their way. Remove one first.`,
        { rule: `limits#${quota}` },
      )
    }
    return game.id
  }

  async function requireUploadsOfToday(run: Run): Promise<void> {
    if (await store.portalLimits.take('buildUploadUrl', developer.studioId, run)) return
    const message =
      `Too many builds today: ${portalLimits.buildUploadUrl.limit} uploads are possible in a UTC day. ` +
      'The count resets at 00:00 UTC. The packaging rules say what counts.'
    throw new Refusal('rate-limited', ours(message), { rule: packagingRule('uploads') })
  }

  async function begin(): Promise<string> {
    try {
      const storageUpload = await storage.begin(uploadKey(uploadId), size)
      if (await store.uploads.began(uploadId, storageUpload)) return storageUpload
    } catch (error) {
      await store.uploads.cancel(uploadId, developer.studio)
      if (buildOf(kind)) await store.portalLimits.giveBack('buildUploadUrl', developer.studioId)
      throw error
    }
    throw new Refusal('conflict', 'The upload was cancelled meanwhile.')
  }
}

/** Signed addresses for parts. */
export function addresses(
  storage: Storage,
  { uploadId, storageUpload, size, expires }: UploadRow,
  parts: readonly number[],
): Promise<PartTarget[]> {
  const left = Math.floor(expires - Date.now() / 1000)
  return storage.sign(
    { key: uploadKey(uploadId), id: storageUpload, size },
    parts,
    Math.max(1, Math.min(left, addressSeconds)),
  )
}

/** @throws Problem when the name of the game is needed and not there */
export function gameOfUpload(gameId: string, kind: UploadKind): string {
  if (kind === 'logo' && gameId !== '') throw new Problem('game_id', 'must be empty: a logo belongs to the studio')
  const game = uuidParameter(gameId, 'game_id')
  if (kind !== 'logo' && game === undefined) throw new Problem('game_id', 'is missing: must be the UUID of a game')
  return game ?? ''
}
