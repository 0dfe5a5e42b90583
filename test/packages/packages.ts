import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { addStudio, type Studio } from '../support/studios.ts'
import { startSystem } from '../support/system.ts'
import { openUploads } from '../support/uploads.ts'
import { rawZip } from '../support/zip.ts'

export const { BROWSER_BUILD, DESKTOP_BUILD, GALLERY_IMAGE, TEACHING_NOTE, LOGO } = UploadKind

/** The zip of a small game. */
export const quiz = (mark = '') =>
  rawZip([
    { name: 'index.html', content: `<title>Quiz${mark}</title>` },
    { name: 'js/game.js', content: 'play()' },
  ])
/** The head of a PNG. */
export const png = (width = 64) =>
  Buffer.concat([
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    u32(width),
    u32(64),
    Buffer.from('0806000000', 'hex'),
  ])
const u32 = (value: number) => Buffer.from([value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255])

/** Two cores, and for each test a studio with a game. */
export async function startPackages() {
  const system = await startSystem({ cores: 2, gateways: 0 })
  const uploads = await openUploads(system.cores[0]!.storage)
  let studio: Studio
  let gameId: string

  const newGame = async (of = studio) => (await of.on().games.createGame({ name: 'Quiz' })).gameId
  const request = (kind: UploadKind, size: number, core = 0, fileName = 'quiz.zip', of = studio) =>
    of.on(core).uploads.requestUpload({ gameId: kind === LOGO ? '' : gameId, kind, fileName, size: BigInt(size) })
  const finalize = (uploadId: string, core = 0) => studio.on(core).uploads.finalizeUpload({ uploadId })
  const view = async () => (await studio.on().games.getGame({ gameId })).game!
  const objects = async () => {
    const keys: string[] = []
    for (const prefix of ['uploads/', 'builds/', 'packages/', 'files/', 'thumbnails/', 'derived/'])
      for await (const key of system.cores[0]!.storage.list(prefix)) keys.push(key)
    return keys.sort()
  }
  /** Every file below the folder of the store, what is only arriving too. */
  const onDisk = async () => {
    const { storage } = system.cores[0]!.config
    if (storage.kind !== 'local') throw new Error('local')
    return (await readdir(storage.folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
  }
  /** As if minutes had gone by. */
  const newWindows = () => system.database.sql(`delete from portal_window where bucket <> 'buildUploadUrl'`)
  const used = () => system.cores[0]!.store.builds.storageUsed(studio.id)

  async function stage(bytes = quiz(), kind = BROWSER_BUILD, fileName = 'quiz.zip'): Promise<string> {
    return (await finalize(await uploads.upload(studio.on(), kind, fileName, bytes, gameId))).id
  }

  return {
    system,
    uploads,
    newGame,
    request,
    finalize,
    view,
    objects,
    onDisk,
    newWindows,
    used,
    stage,
    /** What the next test has of its own. */
    async next() {
      studio = await addStudio(system, 'Owl Games')
      gameId = await newGame()
      return { studio, gameId }
    },
    /** The test goes on with another game of its studio. */
    async nextGame() {
      gameId = await newGame()
      return gameId
    },
    async close() {
      await uploads.close()
      await system.close()
    },
  }
}

export type Packages = Awaited<ReturnType<typeof startPackages>>
export type OwnOfTest = Awaited<ReturnType<Packages['next']>>
