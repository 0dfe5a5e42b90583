import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Readable } from 'node:stream'
import { pino } from 'pino'
import { portalConfig, stubCore } from '../../../test/support/stub-core.ts'
import type { Storage, StoredObject } from '../../../storage/storage.ts'
import { createPortal, type RunningPortal } from '../../app.ts'

const id = '11111111-1111-4111-8111-111111111111'
const page = '22222222-2222-4222-8222-222222222222'
const files: Record<string, Buffer> = {
  [`files/${id}`]: Buffer.from('\x89PNG\r\n\x1a\n0123456789abcdef', 'latin1'),
  [`files/${page}`]: Buffer.from('<html><script>alert(1)</script></html>'),
  [`uploads/${id}`]: Buffer.from('not yet checked'),
  [`thumbnails/${id}`]: Buffer.from('RIFF....WEBPsmall', 'latin1'),
}
const opened: string[] = []
const located: string[] = []
const locateFile = ({ fileId }: { fileId: string }) => {
  located.push(fileId)
  return { storageKey: `files/${fileId}`, public: true }
}

const stored = (bytes: Buffer): StoredObject => ({
  size: bytes.length,
  etag: '"1"',
  read: async (range) => Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]),
})
const storage = {
  partSize: 1,
  uploadOrigins: ['https://bucket.example'],
  open: async (key: string) => {
    opened.push(key)
    return files[key] && stored(files[key])
  },
} as unknown as Storage

let portal: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), {
    core: stubCore({ games: { locateFile } }),
    storage,
    log: pino({ level: 'silent' }),
  })
})
afterAll(() => portal.close())
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${portal.port}${path}`, { headers })

beforeEach(() => void (opened.length = located.length = 0))

test('an image is shown, kept for good and never run', async () => {
  const response = await get(`/media/files/${id}`)
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    etag: '"1"',
    'cache-control': 'public, max-age=31536000, immutable',
  })
  expect(response.headers.has('content-disposition')).toBe(false)
  expect(Buffer.from(await response.arrayBuffer())).toEqual(files[`files/${id}`])
  expect((await get(`/media/files/${id}`, { 'if-none-match': '"1"' })).status).toBe(304)
  const part = await get(`/media/files/${id}`, { range: 'bytes=8-11' })
  expect([part.status, await part.text()]).toEqual([206, '0123'])
})

test('lists get the small image, or the image itself if it has none, by the same rules', async () => {
  const [small, other] = [await get(`/media/thumbnails/${id}`), await get(`/media/thumbnails/${page}`)]
  expect(small.headers.get('content-type')).toBe('image/webp')
  expect(await small.text()).toBe('RIFF....WEBPsmall')
  expect([small.headers.get('content-security-policy'), located]).toEqual(["default-src 'none'; sandbox", [id, page]])
  expect(await other.text()).toBe(String(files[`files/${page}`]))
})

test('whatever is no image is saved under its name', async () => {
  const { headers } = await get(`/media/files/${page}/${encodeURIComponent('Lesson "1"; ä.md')}`)
  expect(headers.get('content-type')).toBe('application/octet-stream')
  expect(headers.get('content-disposition')).toMatch(
    /^attachment; filename="Lesson \\"1\\"; \S+\.md"; filename\*=UTF-8''Lesson%20%221%22%3B%20%C3%A4\.md$/,
  )
})

test.each(['setup.bat', 'setup.txt.cmd', 'page.html', 'game.exe', 'a.pdf\n.sh', '.scr', 'x'])(
  'an address that calls a document %s does not choose its name',
  async (name) => {
    const { headers } = await get(`/media/files/${page}/${encodeURIComponent(name)}`)
    expect(headers.get('content-disposition')).toBe(`attachment; filename=${page}`)
  },
)

test('nothing but checked files is reached', async () => {
  for (const path of [
    `/media/uploads/${id}`,
    `/media/files/..%2fuploads%2f${id}`,
    `/media/files/%2e%2e/uploads/${id}`,
    '/media/files/x',
    `/media/files/${id}/a/b`,
  ]) {
    expect([path, (await get(path)).status]).toEqual([path, 404])
  }
  expect([...opened, ...located]).toEqual([])
})

test('scripts may send parts of uploads to storage', async () => {
  expect((await get('/limits')).headers.get('content-security-policy')).toContain(
    "connect-src 'self' https://bucket.example;",
  )
})
