import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sweepStorage } from '../../core/games/command/sweep-storage.ts'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { noise } from '../cases/packages/hostile-zips.ts'
import { failureOf } from '../support/failures.ts'
import { addStudio } from '../support/studios.ts'
import { rawZip } from '../support/zip.ts'
import {
  BROWSER_BUILD,
  DESKTOP_BUILD,
  GALLERY_IMAGE,
  LOGO,
  quiz,
  startPackages,
  type OwnOfTest,
  type Packages,
} from './packages.ts'

let { system, uploads, newGame, request, finalize, view, objects, newWindows, stage, nextGame, next, close } =
  {} as Packages
let { studio, gameId } = {} as OwnOfTest
beforeAll(async () => {
  ;({ system, uploads, newGame, request, finalize, view, objects, newWindows, stage, nextGame, next, close } =
    await startPackages())
})
afterAll(() => close())
beforeEach(async () => {
  ;({ studio, gameId } = await next())
})

const GiB = 2 ** 30

describe('storage and uploads', () => {
  test('what small packages unpack to is bounded by four times the quota, and what is refused leaves nothing', async () => {
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
    gameId = await nextGame()
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
      `with b as (insert into build (uuid, game, kind, file_name, size, files, expanded) select gen_random_uuid(), id, 'desktop', 'a.zip', $2, 1, 1 from game where uuid = $1 returning id)
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
