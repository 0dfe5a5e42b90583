import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, deflateRawSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sampled } from '../support/sampled.ts'
import { finalizeUpload } from '../../core/games/command/finalize-upload.ts'
import { sweepStorage } from '../../core/games/command/sweep-storage.ts'
import type { Developer } from '../../core/accounts/store/studio-sessions.ts'
import type { Clamd } from '../../core/games/package/clamd.ts'
import { gameParts } from '../../core/games/wing.ts'
import { check } from '../../core/rpc/services/check.ts'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { GameState } from '../../gen/lrs/v1/games_pb.js'
import { hostileZips, noise } from '../cases/packages/hostile-zips.ts'
import { eicar, fakeClamd } from '../support/clamd.ts'
import { failureOf } from '../support/failures.ts'
import { addStudio } from '../support/studios.ts'
import { rawZip } from '../support/zip.ts'
import {
  BROWSER_BUILD,
  DESKTOP_BUILD,
  GALLERY_IMAGE,
  png,
  quiz,
  startPackages,
  type OwnOfTest,
  type Packages,
} from './packages.ts'

let { system, uploads, request, finalize, view, objects, onDisk, used, stage, newGame, next, close } = {} as Packages
let { studio, gameId } = {} as OwnOfTest
beforeAll(async () => {
  ;({ system, uploads, request, finalize, view, objects, onDisk, used, stage, newGame, next, close } =
    await startPackages())
})
afterAll(() => close())
beforeEach(async () => {
  ;({ studio, gameId } = await next())
})

/** A script that gains by compression, but not too much. */
const code = Array.from({ length: 1_000 }, (_, n) => `play(${n})`).join('\n')

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
    // its list of files, too
    expect((await onDisk()).length).toBe(before.length + 3)
    expect(await used()).toEqual({ builds: quiz().length, reserved: 0 })
    expect(await system.database.sql('select key from garbage where key like $1', [`%${id}%`])).toEqual([])
  })

  test('that replaces a staged one removes its files at once; a desktop build stays for a week and counts', async () => {
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

  test('is also kept in br and gzip where that gains; these go with it and do not count', async () => {
    const zip = rawZip([
      { name: 'index.html', content: 'small' },
      { name: 'game.js', content: code },
      { name: 'game.pck', content: noise(5_000), method: 0 },
      { name: 'game.png', content: code },
      { name: 'game.wasm.br', content: code },
    ])
    const id = await stage(zip)
    const derived = async () => (await objects()).filter((key) => key.startsWith(`derived/${id}`))
    expect(await derived()).toEqual(['br/game.js', 'files.json', 'gzip/game.js'].map((name) => `derived/${id}/${name}`))
    const read = async (key: string) => buffer(await (await system.cores[0]!.storage.open(key))!.read())
    expect(brotliDecompressSync(await read(`derived/${id}/br/game.js`)).toString()).toBe(code)
    expect(gunzipSync(await read(`derived/${id}/gzip/game.js`)).toString()).toBe(code)
    expect(await used()).toEqual({ builds: zip.length, reserved: 0 })
    await stage()
    await sweepStorage(system.cores[0]!)
    // core's own sweep may be at it
    await expect.poll(derived).toEqual([])
  })

  const some = [
    'a path that leaves the folder',
    'a wrong checksum of a large file',
    'far more content than it says, too large for memory',
    'nothing that is a zip',
    'a symbolic link',
    'names that differ in case',
    '1,999 entries that share one of 900 bytes',
    '10,001 entries',
    'more than 100:1',
  ]
  const chosen = some.flatMap((name) => hostileZips.filter(({ what }) => what === name))
  for (const { cases, tags } of sampled(chosen, 4))
    test.for(cases)(
      'with $what is refused by name and rule, and nothing is left',
      { tags },
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
        // core's sweep may have removed older ones meanwhile
        expect(before).toEqual(expect.arrayContaining(await onDisk()))
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

describe('a browser build of which only changed files are sent', () => {
  const fileOf = (path: string, content: string | Buffer) => ({
    path,
    size: BigInt(content.length),
    sha256: createHash('sha256').update(content).digest(),
  })
  const page = fileOf('index.html', 'one')
  const [first, second] = [
    rawZip([
      { name: 'index.html', content: 'one' },
      { name: 'a/game.js', content: code },
    ]),
    '2',
  ]
  const changed = rawZip([{ name: 'index.html', content: second }])
  const all = [fileOf('index.html', second), fileOf('b/moved.js', code)]
  const send = (zip: Buffer, to = gameId, of = studio) => uploads.upload(of.on(), BROWSER_BUILD, 'quiz.zip', zip, to)
  const compare = (files: typeof all, to = gameId, of = studio) => of.on().uploads.compareFiles({ gameId: to, files })

  test('has the others from builds of its game, compressed too, and counts whole', async () => {
    const before = await stage(first)
    expect(await compare(all)).toMatchObject({ missing: [0], same: [] })
    expect(await compare([fileOf('a/game.js', code), page])).toMatchObject({ missing: [], same: [before] })
    // another name is another build
    expect(await compare([fileOf('b/game.js', code), page])).toMatchObject({ missing: [], same: [] })
    const { id } = await studio.on().uploads.finalizeUpload({ uploadId: await send(changed), files: all })
    const { storage } = system.cores[0]!
    const read = async (key: string) => buffer(await (await storage.open(key))!.read())
    expect((await read(`builds/${id}/index.html`)).toString()).toBe(second)
    expect((await read(`builds/${id}/b/moved.js`)).toString()).toBe(code)
    expect(brotliDecompressSync(await read(`derived/${id}/br/b/moved.js`)).toString()).toBe(code)
    expect((await view()).staged).toMatchObject({ files: 2, expanded: BigInt(code.length + 1), sha256: '' })
    expect((await used()).builds).toBe(changed.length + deflateRawSync(code).length)
    // the one before is gone; what it had is here
    await sweepStorage(system.cores[0]!)
    await expect.poll(() => storage.open(`builds/${before}/a/game.js`)).toBeUndefined()
    expect(await compare(all)).toMatchObject({ missing: [], same: [id] })
  })

  test('has none of another game: who knows a hash gets nothing by it', async () => {
    await stage(first)
    const others = await addStudio(system, 'Fox')
    const ofOther = (await others.on().games.createGame({ name: 'Thief' })).gameId
    const sister = await newGame()
    for (const [of, to] of [
      [others, ofOther],
      [studio, sister],
    ] as const) {
      expect((await compare(all, to, of)).missing).toEqual([0, 1])
      const before = await objects()
      const uploadId = await send(changed, to, of)
      expect(await failureOf(of.on().uploads.finalizeUpload({ uploadId, files: all }))).toMatchObject({
        reason: Reason.INVALID,
        rule: 'packaging#changed',
        path: 'b/moved.js',
      })
      expect((await objects()).filter((key) => !before.includes(key))).toEqual([])
    }
    expect(await failureOf(compare(all, gameId, others))).toMatchObject({ reason: Reason.NOT_FOUND })
  })

  type Listed = readonly [what: string, files: typeof all, rule: string, name?: string]
  const lists: readonly Listed[] = [
    ['no page', [all[1]!, fileOf('page.html', second)], 'index', 'page.html'],
    ['a hash that the zip does not have', [page, all[1]!], 'sizes'],
    ['a size that the file does not have', [all[0]!, { ...all[1]!, size: 3n }], 'changed'],
    ['a path that leaves the folder', [...all, fileOf('../x.js', code)], 'path'],
    ['a folder', [...all, fileOf('x/', code)], 'name'],
    ['names that differ in case', [...all, fileOf('B/moved.js', code)], 'collision'],
    ['a name twice', [...all, all[1]!], 'duplicate'],
    ['a file of the zip less', [fileOf('index.html', code)], 'changed', 'more.js'],
  ]
  for (const { cases, tags } of sampled(lists, 3))
    test.for(cases)(
      'with %s in the list is refused, and nothing is left',
      { tags },
      async ([, files, rule, name = 'index.html']) => {
        await stage(first)
        const before = await objects()
        const uploadId = await send(rawZip([{ name, content: second }]))
        expect(await failureOf(studio.on().uploads.finalizeUpload({ uploadId, files }))).toMatchObject({
          reason: Reason.INVALID,
          rule: `packaging#${rule}`,
        })
        expect((await objects()).filter((key) => !before.includes(key))).toEqual([])
        expect(await failureOf(finalize(uploadId))).toMatchObject({ reason: Reason.NOT_FOUND })
      },
    )

  test('needs room for all of it', async () => {
    await stage(first)
    const whole = changed.length + deflateRawSync(code).length
    const quotas = (storage: number) =>
      system.database.sql('update studio set quotas = $2 where id = $1', [studio.id, { storage }])
    await quotas(first.length + whole - 1)
    const uploadId = await send(changed)
    const finalized = () => failureOf(studio.on().uploads.finalizeUpload({ uploadId, files: all }))
    expect(await finalized()).toMatchObject({ reason: Reason.QUOTA_EXCEEDED, rule: 'limits#storage' })
    await quotas(first.length + whole)
    expect(await finalized()).toBe('ok')
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
    // core's sweep may have removed older ones meanwhile
    expect(before).toEqual(expect.arrayContaining(await onDisk()))
  })
})

describe('with a malware scanner', () => {
  const most = 2_500_000
  let clamd: Awaited<ReturnType<typeof fakeClamd>>
  beforeAll(async () => {
    clamd = await fakeClamd(most)
  })
  afterAll(() => void clamd.close())

  /** As a core with that setting does. */
  const finalizeWith = (at: Clamd, uploadId: string) => {
    const core = system.cores[0]!
    const files = gameParts({ ...core, config: { ...core.config, clamd: at } }, {})
    const developer = { studio: studio.id, studioId: String(studio.id) } as Developer
    return finalizeUpload(files, developer, uploadId)
  }
  const zipOf = (name: string, content: string | Buffer) => rawZip([{ name: 'index.html' }, { name, content }])
  const nested = rawZip([{ name: 'game.exe', content: eicar, method: 0 }])
  const found = 'the scanner finds Eicar-Signature'

  const malware = [
    ['in a build', BROWSER_BUILD, 'quiz.zip', zipOf('js/evil.js', eicar), 'js/evil.js', found],
    ['in a zip in a build', BROWSER_BUILD, 'quiz.zip', zipOf('more.zip', nested), 'more.zip', found],
    [
      'in a large file',
      BROWSER_BUILD,
      'q.zip',
      zipOf('a', Buffer.concat([noise(2e6), Buffer.from(eicar)])),
      'a',
      found,
    ],
    ['in a desktop build', DESKTOP_BUILD, 'quiz.zip', nested, 'quiz.zip', found],
    ['in an image', GALLERY_IMAGE, 'a.png', Buffer.concat([png(), Buffer.from(eicar)]), 'a.png', found],
    ['perhaps, in too large a file', BROWSER_BUILD, 'q.zip', zipOf('large', noise(6e6)), 'large', 'StreamMaxLength'],
  ] as const
  for (const { cases, tags } of sampled(malware, 3))
    test.for(cases)(
      'malware %s is refused, and nothing is left',
      { tags },
      async ([, kind, fileName, bytes, path, words]) => {
        const before = await objects()
        const uploadId = await uploads.upload(studio.on(), kind, fileName, bytes, gameId)
        await expect(finalizeWith(clamd.at, uploadId)).rejects.toMatchObject({
          name: 'Problem',
          path,
          rule: 'packaging#malware',
          message: expect.stringContaining(words),
        })
        // the sweep may remove older ones meanwhile
        expect((await objects()).filter((key) => !before.includes(key))).toEqual([])
        expect(await failureOf(finalize(uploadId))).toMatchObject({ reason: Reason.NOT_FOUND })
      },
    )

  test('an upload waits while the scanner is frozen or away, and is then staged', async () => {
    const looked = async (at: Clamd) => {
      const core = system.cores[0]!
      const findings = await check({ ...core, config: { ...core.config, clamd: at } })
      return findings.find(({ name }) => name === 'malware-scanner')!
    }
    const uploadId = await uploads.upload(studio.on(), BROWSER_BUILD, 'quiz.zip', quiz(), gameId)
    const before = clamd.state.files
    clamd.state.isFrozen = true
    for (const [at, cause] of [
      [{ ...clamd.at, timeout: 300 }, 'in time'],
      [{ path: '/nowhere/clamd.ctl' }, 'ENOENT'],
    ] as const) {
      await expect(finalizeWith(at, uploadId)).rejects.toMatchObject({
        reason: 'unavailable',
        message: expect.stringContaining('The upload is kept'),
        cause: expect.stringContaining(cause),
      })
      expect(await looked(at)).toMatchObject({ severity: 'error', message: expect.stringContaining(cause) })
    }
    expect((await view()).staged).toBeUndefined()
    clamd.state.isFrozen = false
    expect(await looked(clamd.at)).toMatchObject({ severity: 'ok', message: expect.stringContaining('ClamAV 1.4.3') })
    await finalizeWith(clamd.at, uploadId)
    expect(await view()).toMatchObject({ staged: { files: 2 } })
    expect(clamd.state.files).toBe(before + 2)
    // without the setting nobody asks it
    await stage(quiz('2'))
    expect(clamd.state.files).toBe(before + 2)
  })
})
