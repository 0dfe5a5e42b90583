import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sweepStorage } from '../../core/games/command/sweep-storage.ts'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import type { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { failureOf } from '../support/failures.ts'
import { noisyPng } from '../support/png.ts'
import {
  BROWSER_BUILD,
  DESKTOP_BUILD,
  GALLERY_IMAGE,
  LOGO,
  TEACHING_NOTE,
  png,
  startPackages,
  type OwnOfTest,
  type Packages,
} from './packages.ts'

let { system, uploads, request, finalize, view, objects, onDisk, next, close } = {} as Packages
let { studio, gameId } = {} as OwnOfTest
beforeAll(async () => {
  ;({ system, uploads, request, finalize, view, objects, onDisk, next, close } = await startPackages())
})
afterAll(() => close())
beforeEach(async () => {
  ;({ studio, gameId } = await next())
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

  // on a busy machine an image gets no small one: it waits 10 s for its turn at most
  test('a large image has a small one for lists, which goes with it', { retry: 2 }, async () => {
    const { id } = await take(GALLERY_IMAGE, 'cover.png', noisyPng(1_000, 400))
    const keys = async () => (await objects()).filter((key) => key.endsWith(id))
    expect(await keys()).toEqual([`files/${id}`, `thumbnails/${id}`])
    await studio.on().games.removeFile({ gameId, fileId: id })
    await sweepStorage(system.cores[0]!)
    expect(await keys()).toEqual([])
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
    // core's sweep may have removed older ones meanwhile
    expect(before).toEqual(expect.arrayContaining(await onDisk()))
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
      [BROWSER_BUILD, 2 ** 30, 'build'],
      [DESKTOP_BUILD, 2 ** 30, 'build'],
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
