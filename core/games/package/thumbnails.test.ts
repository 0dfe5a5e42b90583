import { afterAll, expect, test } from 'vitest'
import { noisyPng as png } from '../../../test/support/png.ts'
import { imageSize } from './image-size.ts'
import { shrink } from './shrink.ts'
import { thumbnails } from './thumbnails.ts'

const made = thumbnails()
afterAll(() => made.close())

test('a large picture becomes a WebP of 640 pixels, and fewer bytes', async () => {
  const large = png(1_300, 650)
  const small = (await made.make(large, 'image/png', 1))!
  expect(imageSize('image/webp', small)).toEqual({ width: 640, height: 320 })
  expect(small.length).toBeLessThan(large.length / 4)
})

test.each([
  ['a format without a decoder', 'image/gif', Buffer.from('GIF89a\x20\x03\x20\x03')],
  ['more pixels than a decoder gets', 'image/png', png(8, 8, 8_000_000)],
  ['a damaged one', 'image/png', png(900, 20, 2_000)],
  ['one that is small already', 'image/png', png(3, 3)],
])('%s is shown as it is', async (_name, type, bytes) => expect(await made.make(bytes, type, 1)).toBeUndefined())

test('a decoder that takes too long is ended', async () => {
  const hasty = thumbnails(1)
  expect(await hasty.make(png(1_300, 650), 'image/png', 1)).toBeUndefined()
  await hasty.close()
})

test('new pixels are the mean of those that they cover, weighted by their opacity', () => {
  const data = new Uint8ClampedArray([100, 0, 0, 255, 200, 0, 0, 255, 9, 9, 9, 0, 50, 50, 50, 255])
  expect([...shrink({ data, width: 4, height: 1 }, 2).data]).toEqual([150, 0, 0, 255, 50, 50, 50, 128])
})
