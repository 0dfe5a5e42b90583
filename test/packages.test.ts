import { readdir } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sweepStorage } from '../core/command/sweep-storage.ts'
import { Reason } from '../gen/lrs/v1/failure_pb.js'
import { GameState } from '../gen/lrs/v1/games_pb.js'
import { UploadKind } from '../gen/lrs/v1/uploads_pb.js'
import { hostileZips, noise } from './cases/packages/hostile-zips.ts'
import { failureOf } from './support/failures.ts'
import { addStudio, type Studio } from './support/studios.ts'
import { startSystem, type System } from './support/system.ts'
import { openUploads, type Uploads } from './support/uploads.ts'
import { rawZip } from './support/zip.ts'

const { BROWSER_BUILD, DESKTOP_BUILD, GALLERY_IMAGE, TEACHING_NOTE, LOGO } = UploadKind
const GiB = 2 ** 30

let system: System
let uploads: Uploads
let studio: Studio
let gameId: string
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0 })
  uploads = await openUploads(system.cores[0]!.storage)
})
afterAll(async () => {
  await uploads.close()
  await system.close()
})
beforeEach(async () => {
  studio = await addStudio(system, 'Owl Games')
  gameId = await newGame()
})

const newGame = async (of = studio) => (await of.on().games.createGame({ name: 'Quiz' })).gameId
const request = (kind: UploadKind, size: number, core = 0, fileName = 'quiz.zip', of = studio) =>
  of.on(core).uploads.requestUpload({ gameId: kind === LOGO ? '' : gameId, kind, fileName, size: BigInt(size) })
const finalize = (uploadId: string, core = 0) => studio.on(core).uploads.finalizeUpload({ uploadId })
const view = async () => (await studio.on().games.getGame({ gameId })).game!
const objects = async () => {
  const keys: string[] = []
  for (const prefix of ['uploads/', 'builds/', 'packages/', 'files/'])
    for await (const key of system.cores[0]!.storage.list(prefix)) keys.push(key)
  return keys.sort()
}
/** Every file below the folder of the store, what is only arriving too. */
const onDisk = async () => {
  const { storage } = system.cores[0]!.config
  if (storage.kind !== 'local') throw new Error('local')
  return (await readdir(storage.folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
}
/** As if minutes had gone by. */
const newWindows = () => system.database.sql(`delete from portal_window where bucket <> 'buildUploadUrl'`)
const used = () => system.cores[0]!.store.builds.storageUsed(studio.id)

const quiz = (mark = '') =>
  rawZip([
    { name: 'index.html', content: `<title>Quiz${mark}</title>` },
    { name: 'js/game.js', content: 'play()' },
  ])
const png = (width = 64) =>
  Buffer.concat([
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    u32(width),
    u32(64),
    Buffer.from('0806000000', 'hex'),
  ])
const u32 = (value: number) => Buffer.from([value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255])

async function stage(bytes = quiz(), kind = BROWSER_BUILD, fileName = 'quiz.zip'): Promise<string> {
  return (await finalize(await uploads.upload(studio.on(), kind, fileName, bytes, gameId))).id
}

describe('a browser build', () => {
  test('is unpacked, staged, and the zip is gone', async () => {
    const before = await onDisk()
    const id = await stage()
    expect(await view()).toMatchObject({
      summary: { state: GameState.DRAFT },
      staged: { buildId: id, fileName: 'quiz.zip', files: 2, size: BigInt(quiz().length) },
    })
    const { storage } = system.cores[0]!
    const page = await storage.open(`builds/${id}/index.html`)
    expect((await buffer(await page!.read())).toString()).toBe('<title>Quiz</title>')
    expect(await objects()).toEqual(expect.arrayContaining([`builds/${id}/index.html`, `builds/${id}/js/game.js`]))
    expect((await onDisk()).length).toBe(before.length + 2)
    expect(await used()).toEqual({ builds: quiz().length, reserved: 0 })
    expect(await system.database.sql('select key from garbage where key like $1', [`%${id}%`])).toEqual([])
  })

  test('that replaces a staged one removes its files at once; a desktop build stays for a week', async () => {
    const first = await stage()
    const second = await stage(quiz('2'))
    await sweepStorage(system.cores[0]!)
    expect((await objects()).filter((key) => key.includes(first))).toEqual([])
    const third = await stage(quiz(), DESKTOP_BUILD, 'quiz.zip')
    await stage(quiz('4'))
    await sweepStorage(system.cores[0]!)
    expect((await objects()).filter((key) => key.includes(second))).toEqual([])
    expect((await objects()).filter((key) => key.includes(third))).toEqual([`packages/${third}/quiz.zip`])
    expect((await view()).inGrace.map(({ buildId }) => buildId)).toEqual([third])
    expect((await used()).builds).toBe(quiz().length + quiz('4').length)
    await system.database.sql(`update garbage set due = now() where key like 'packages/%'`)
    await system.database.sql(`update build set grace_until = now() where uuid = $1`, [third])
    await sweepStorage(system.cores[1]!)
    expect((await objects()).filter((key) => key.includes(third))).toEqual([])
    expect((await used()).builds).toBe(quiz('4').length)
  })

  const some = [
    'a path that leaves the folder',
    'a symbolic link',
    'names that differ in case',
    'a wrong checksum of a large file',
    'far more content than it says, too large for memory',
    '1,999 entries that share one of 900 bytes',
    '10,001 entries',
    'more than 100:1',
    'nothing that is a zip',
  ]
  test.for(hostileZips.filter(({ what }) => some.includes(what)))(
    'with $what is refused by name and rule, and nothing is left',
    async ({ zip, rule, entry }) => {
      const before = await onDisk()
      const uploadId = await uploads.upload(studio.on(), BROWSER_BUILD, 'evil.zip', zip(), gameId)
      expect((await used()).reserved).toBeGreaterThan(0)
      const refused = await failureOf(finalize(uploadId))
      expect(refused).toMatchObject({
        reason: Reason.INVALID,
        rule: `packaging#${rule}`,
        ...(entry !== undefined && { path: entry }),
      })
      expect(await onDisk()).toEqual(before)
      expect(await used()).toEqual({ builds: 0, reserved: 0 })
      expect(await system.database.sql('select key from garbage where key like $1', [`%${uploadId}%`])).toEqual([])
      expect(await failureOf(finalize(uploadId))).toMatchObject({ reason: Reason.NOT_FOUND })
      expect((await view()).staged).toBeUndefined()
    },
  )

  test('cannot be uploaded or staged while the game is in review', async () => {
    await studio.on().games.updateGame({ gameId, name: 'Quiz', summary: 'Questions', description: 'Many' })
    await stage()
    const waiting = await uploads.upload(studio.on(), BROWSER_BUILD, 'b.zip', quiz('2'), gameId)
    await studio.on().games.submitForReview({ gameId })
    expect(await failureOf(request(BROWSER_BUILD, 10))).toMatchObject({
      reason: Reason.CONFLICT,
      message: expect.stringContaining('Withdraw it from review'),
    })
    const builds = async () => (await objects()).filter((key) => key.startsWith('builds/'))
    const before = await builds()
    expect(await failureOf(finalize(waiting))).toMatchObject({ reason: Reason.CONFLICT })
    expect(await builds()).toEqual(before)
    await studio.on().games.withdraw({ gameId })
    expect(await failureOf(finalize(waiting))).toBe('ok')
  })

  test('finalized twice at once on two cores: one does it', async () => {
    const uploadId = await uploads.upload(studio.on(), BROWSER_BUILD, 'quiz.zip', quiz(), gameId)
    const results = await Promise.all([0, 1, 0, 1].map((core) => failureOf(finalize(uploadId, core))))
    expect(results.filter((result) => result === 'ok')).toHaveLength(1)
    for (const result of results)
      if (result !== 'ok') expect([Reason.CONFLICT, Reason.NOT_FOUND]).toContain(result.reason)
    expect(
      await system.database.sql('select id from build where game = (select id from game where uuid = $1)', [gameId]),
    ).toHaveLength(1)
    expect((await objects()).filter((key) => key.startsWith('uploads/'))).toEqual([])
  })

  test('of which a part is missing is not finalized, and can be resumed', async () => {
    const zip = rawZip([{ name: 'index.html' }, { name: 'large', content: noise(20_000_000), method: 0 }])
    const { upload } = await request(BROWSER_BUILD, zip.length)
    expect(upload!.missing.map(({ number }) => number)).toEqual([1, 2])
    await uploads.send({ ...upload!, missing: upload!.missing.slice(0, 1) }, zip)
    const { uploadId } = upload!
    expect(await failureOf(finalize(uploadId))).toMatchObject({
      reason: Reason.CONFLICT,
      message: expect.stringContaining('resume'),
    })
    expect((await studio.on(1).uploads.listUploads({ gameId })).uploads).toMatchObject([
      { uploadId, fileName: 'quiz.zip', missing: [] },
    ])
    const resumed = (await studio.on(1).uploads.resumeUpload({ uploadId })).upload!
    expect(resumed.missing.map(({ number }) => number)).toEqual([2])
    await uploads.send(resumed, zip)
    expect(await failureOf(finalize(uploadId, 1))).toBe('ok')
    expect((await studio.on().uploads.listUploads({ gameId })).uploads).toEqual([])
  })
})

describe('a desktop build', () => {
  test('is what its name says', async () => {
    const id = await stage(Buffer.from('\x1f\x8b\x08content', 'latin1'), DESKTOP_BUILD, 'Quiz 1.0.tar.gz')
    expect(await view()).toMatchObject({ staged: { buildId: id, storageKey: `packages/${id}/Quiz 1.0.tar.gz` } })
    const before = await onDisk()
    expect(await failureOf(stage(Buffer.from('<html>'), DESKTOP_BUILD, 'quiz.exe'))).toMatchObject({
      reason: Reason.INVALID,
      path: 'quiz.exe',
      rule: 'packaging#desktop',
    })
    expect(await onDisk()).toEqual(before)
  })
})

describe('images, notes and logos', () => {
  const take = async (kind: UploadKind, fileName: string, bytes: Buffer) =>
    finalize(await uploads.upload(studio.on(), kind, fileName, bytes, kind === LOGO ? '' : gameId))

  test('are known by their bytes', async () => {
    const { id } = await take(GALLERY_IMAGE, 'cover.svg', png())
    await take(TEACHING_NOTE, 'notes.md', Buffer.from('# Für Lehrkräfte'))
    expect(await view()).toMatchObject({
      gallery: [{ fileId: id, contentType: 'image/png', storageKey: `files/${id}`, fileName: 'cover.svg' }],
      teachingNotes: [{ contentType: 'text/markdown; charset=utf-8', size: 18n }],
    })
  })

  test('SVG, HTML and what is too wide are refused, and nothing is left', async () => {
    const before = await onDisk()
    for (const [kind, bytes] of [
      [GALLERY_IMAGE, '<svg/>'],
      [LOGO, '<html>'],
      [GALLERY_IMAGE, png(8_193)],
    ] as const) {
      expect(await failureOf(take(kind, 'a.png', Buffer.from(bytes)))).toMatchObject({
        reason: Reason.INVALID,
        path: 'a.png',
        rule: 'packaging#images',
      })
    }
    expect(await failureOf(take(TEACHING_NOTE, 'a.html', Buffer.from('<html>')))).toMatchObject({
      rule: 'packaging#documents',
    })
    expect(await onDisk()).toEqual(before)
  })

  test('a logo replaces the one before', async () => {
    expect(await take(LOGO, 'a.png', png())).toMatchObject({ id: '', gameId: '' })
    const logo = async () =>
      (await system.database.sql<{ logo: string }>('select logo from studio where id = $1', [studio.id]))[0]!.logo
    const first = await logo()
    await take(LOGO, 'b.png', png())
    await sweepStorage(system.cores[0]!)
    expect((await objects()).filter((key) => [first, logo].includes(key))).toEqual([])
    expect(await objects()).toContain(await logo())
  })

  test('10 images and 5 notes, those on their way included; two at once: one', async () => {
    for (let n = 0; n < 9; n++) await request(GALLERY_IMAGE, 10, 0, 'a.png')
    const both = await Promise.all([0, 1].map((core) => failureOf(request(GALLERY_IMAGE, 10, core, 'a.png'))))
    expect(both.filter((result) => result === 'ok')).toHaveLength(1)
    expect(both.find((result) => result !== 'ok')).toMatchObject({
      reason: Reason.QUOTA_EXCEEDED,
      rule: 'limits#galleryImages',
    })
    for (let n = 0; n < 5; n++) await request(TEACHING_NOTE, 10, 0, 'a.pdf')
    expect(await failureOf(request(TEACHING_NOTE, 10, 0, 'a.pdf'))).toMatchObject({
      reason: Reason.QUOTA_EXCEEDED,
      rule: 'limits#teachingNotes',
    })
  })

  test('sizes: to the byte', async () => {
    for (const [kind, most, rule] of [
      [GALLERY_IMAGE, 5 * 2 ** 20, 'galleryImages'],
      [TEACHING_NOTE, 10 * 2 ** 20, 'teachingNotes'],
      [LOGO, 5 * 2 ** 20, 'logo'],
      [BROWSER_BUILD, GiB, 'build'],
      [DESKTOP_BUILD, GiB, 'build'],
    ] as const) {
      expect(await failureOf(request(kind, most))).toBe('ok')
      for (const size of [most + 1, 0])
        expect(await failureOf(request(kind, size))).toMatchObject({
          reason: Reason.INVALID,
          path: 'size',
          rule: `limits#${rule}`,
        })
    }
  })

  test.for(['', '../a.zip', 'a/b.zip', 'a\\b.zip', 'a\0.zip', '.htaccess', 'a\u202egpj.zip', 'x'.repeat(201)])(
    'a file called %j is refused',
    async (name) => {
      expect(await failureOf(request(DESKTOP_BUILD, 10, 0, name))).toMatchObject({
        reason: Reason.INVALID,
        path: 'file_name',
        rule: 'packaging#file-name',
      })
    },
  )
})

describe('storage and uploads', () => {
  test('small packages unpack to four times the quota at most; a refused one leaves nothing', async () => {
    const inflated = rawZip([
      { name: 'index.html', content: 'x' },
      { name: 'data.bin', content: Buffer.alloc(40_000, noise(1_000)) },
    ])
    const quota = Math.max(15_000, 2 * inflated.length)
    await system.database.sql('update studio set quotas = $2 where id = $1', [studio.id, { storage: quota }])
    expect(inflated.length).toBeLessThan(quota)
    const first = await stage(inflated)
    // in its own place it counts once
    expect(await stage(inflated)).not.toBe(first)
    const before = await objects()
    gameId = await newGame()
    const uploadId = await uploads.upload(studio.on(), BROWSER_BUILD, 'quiz.zip', inflated, gameId)
    expect(await failureOf(finalize(uploadId))).toMatchObject({
      reason: Reason.QUOTA_EXCEEDED,
      rule: 'limits#storage',
      message: expect.stringContaining('Unpacked'),
    })
    // the build that the second one replaced may be swept meanwhile
    expect((await objects()).filter((key) => key.startsWith('builds/') && !before.includes(key))).toEqual([])
    expect((await view()).staged).toBeUndefined()
    await studio.on().uploads.cancelUpload({ uploadId })
  })

  const fill = (size: number) =>
    system.database.sql(
      `with b as (insert into build (uuid, game, kind, file_name, size, files, expanded)
      select gen_random_uuid(), id, 'desktop', 'a.zip', $2, 1, 1 from game where uuid = $1 returning id)
    update game set staged_build = b.id from b where uuid = $1`,
      [gameId, Math.floor(size)],
    )

  test('two uploads at 24.9 GB: one', async () => {
    await fill(24.9 * GiB)
    const size = Math.floor(0.08 * GiB)
    const both = await Promise.all([0, 1].map((core) => failureOf(request(BROWSER_BUILD, size, core))))
    expect(both.filter((result) => result === 'ok')).toHaveLength(1)
    expect(both.find((result) => result !== 'ok')).toMatchObject({
      reason: Reason.QUOTA_EXCEEDED,
      rule: 'limits#storage',
      message: expect.stringContaining('24.9 GB'),
    })
  })

  test('a reservation is freed when the upload is cancelled, ends or fails', async () => {
    await fill(24.5 * GiB)
    const size = Math.floor(0.5 * GiB)
    const full = () => failureOf(request(BROWSER_BUILD, size, 1))
    const { upload } = await request(BROWSER_BUILD, size)
    expect(await full()).toMatchObject({ rule: 'limits#storage' })
    await studio.on(1).uploads.cancelUpload({ uploadId: upload!.uploadId })
    expect(await failureOf(studio.on().uploads.cancelUpload({ uploadId: upload!.uploadId }))).toMatchObject({
      reason: Reason.NOT_FOUND,
    })
    const second = (await request(BROWSER_BUILD, size)).upload!.uploadId
    expect(await full()).toMatchObject({ rule: 'limits#storage' })
    await system.database.sql('update upload set expires = now() where uuid = $1', [second])
    for (const result of await Promise.all([
      failureOf(finalize(second)),
      failureOf(studio.on().uploads.resumeUpload({ uploadId: second })),
    ])) {
      expect(result).toMatchObject({ reason: Reason.NOT_FOUND })
    }
    const third = await request(BROWSER_BUILD, size)
    await sweepStorage(system.cores[1]!)
    expect(await system.database.sql('select uuid from upload where studio = $1', [studio.id])).toEqual([
      { uuid: third.upload!.uploadId },
    ])
    await studio.on().uploads.cancelUpload({ uploadId: third.upload!.uploadId })
    expect((await objects()).filter((key) => key.startsWith('uploads/'))).toEqual([])
  })

  test('20 builds a day over two cores; what is refused does not count, another studio is not touched', async () => {
    await fill(24 * GiB)
    for (let n = 0; n < 3; n++) {
      expect(await failureOf(request(BROWSER_BUILD, GiB + 1))).toMatchObject({ reason: Reason.INVALID })
      expect(await failureOf(request(BROWSER_BUILD, GiB + n, 1))).toMatchObject(
        n === 0 ? {} : { reason: Reason.INVALID },
      )
      expect(await failureOf(request(BROWSER_BUILD, GiB, 1))).toMatchObject({ reason: Reason.QUOTA_EXCEEDED })
    }
    await system.database.sql(`delete from upload where studio = $1`, [studio.id])
    const results = await Promise.all(
      Array.from({ length: 24 }, (_, n) => failureOf(request(n % 3 ? BROWSER_BUILD : DESKTOP_BUILD, 10, n % 2))),
    )
    expect(results.filter((result) => result === 'ok')).toHaveLength(19)
    const refused = results.filter((result) => result !== 'ok')
    for (const one of refused)
      expect(one).toMatchObject({
        reason: Reason.RATE_LIMITED,
        rule: 'packaging#uploads',
        message: expect.stringContaining('packaging rules'),
      })
    expect(await failureOf(request(GALLERY_IMAGE, 10))).toBe('ok')
    const other = await addStudio(system, 'Fox')
    const game = await newGame(other)
    expect(
      await failureOf(
        other.on().uploads.requestUpload({ gameId: game, kind: BROWSER_BUILD, fileName: 'a.zip', size: 10n }),
      ),
    ).toBe('ok')
    await system.database.sql(
      `update portal_window set started = started - interval '1 day' where bucket = 'buildUploadUrl'`,
    )
    expect(await failureOf(request(BROWSER_BUILD, 10))).toBe('ok')
  })

  test('60 addresses and 10 finalizations a minute over two cores', async () => {
    const asks = await Promise.all(Array.from({ length: 64 }, (_, n) => failureOf(request(LOGO, 10, n % 2, 'a.png'))))
    const limited = asks.filter((result) => result !== 'ok' && result.reason === Reason.RATE_LIMITED)
    expect(limited).toHaveLength(4)
    for (const one of limited) expect(one).toMatchObject({ message: 'Too many requests', rule: 'limits#uploadUrl' })
    const finals = await Promise.all(
      Array.from({ length: 12 }, (_, n) => failureOf(finalize(crypto.randomUUID(), n % 2))),
    )
    expect(finals.map((result) => (result as { reason: Reason }).reason).sort()).toEqual([
      ...Array<Reason>(10).fill(Reason.NOT_FOUND),
      Reason.RATE_LIMITED,
      Reason.RATE_LIMITED,
    ])
    await newWindows()
  })

  test('more games than the quota stop uploads; an admin may have changed the quotas', async () => {
    await system.database.sql(`update studio set quotas = '{"games": 0}' where id = $1`, [studio.id])
    expect(await failureOf(request(BROWSER_BUILD, 10))).toMatchObject({
      reason: Reason.QUOTA_EXCEEDED,
      rule: 'limits#games',
    })
    await system.database.sql(`update studio set quotas = '{"storage": 100}' where id = $1`, [studio.id])
    expect(await failureOf(request(BROWSER_BUILD, 101))).toMatchObject({
      reason: Reason.QUOTA_EXCEEDED,
      rule: 'limits#storage',
    })
    expect(await failureOf(request(BROWSER_BUILD, 100))).toBe('ok')
  })

  test('belong to their studio', async () => {
    const uploadId = await uploads.upload(studio.on(), BROWSER_BUILD, 'quiz.zip', quiz(), gameId)
    const fox = await addStudio(system, 'Fox')
    const { uploads: foreign } = fox.on()
    const calls = [
      request(BROWSER_BUILD, 10, 0, 'a.zip', fox),
      request(GALLERY_IMAGE, 10, 0, 'a.png', fox),
      foreign.finalizeUpload({ uploadId }),
      foreign.resumeUpload({ uploadId }),
      foreign.cancelUpload({ uploadId }),
    ]
    for (const result of await Promise.all(calls.map(failureOf)))
      expect(result).toMatchObject({ reason: Reason.NOT_FOUND })
    expect((await foreign.listUploads({ gameId })).uploads).toEqual([])
    for (const [kind, game] of [
      [LOGO, gameId],
      [BROWSER_BUILD, ''],
      [BROWSER_BUILD, 'x'],
      [UploadKind.UNSPECIFIED, gameId],
    ] as const) {
      expect(
        await failureOf(studio.on().uploads.requestUpload({ gameId: game, kind, fileName: 'a', size: 1n })),
      ).toMatchObject({ reason: Reason.INVALID })
    }
    expect((await foreign.listPackagingRules({})).rules.map(({ anchor }) => anchor)).toContain('symlink')
  })
})
