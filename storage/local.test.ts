import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { endAll, eventually, temporaryFolder } from '../start/fixtures/launch.ts'
import { openFolder } from './folder.ts'
import { localStorage } from './local.ts'
import { partsIn } from './parts.ts'
import type { ReceiverLimits } from './receive.ts'
import { bestOfThree } from '../test/support/cost.ts'

const closing: (() => void)[] = []
afterAll(() => {
  for (const close of closing) close()
  endAll()
})

/** A storage with a server that takes parts. */
async function open(limits: Partial<ReceiverLimits> = {}) {
  const folder = temporaryFolder()
  const storage = localStorage({ kind: 'local', folder, key: Buffer.alloc(32, 1) }, limits)
  const server = createServer((request, response) => void storage.receive!(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => void server.close())
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    folder,
    storage,
    url,
    async begin(size: number, key = 'uploads/one') {
      const upload = { key, size, id: await storage.begin(key, size) }
      const [target] = await storage.sign(upload, [1], 60)
      return { upload, path: target!.url }
    },
    put: (path: string, body: RequestInit['body'], more: RequestInit = {}) =>
      fetch(url + path, { method: 'PUT', body, ...more }).then(async (answer) => ({
        status: answer.status,
        headers: answer.headers,
        body: await answer.json(),
      })),
    /** Says that it sends `size` bytes, and sends some. */
    async part(path: string, size: number, sent: string) {
      const socket = connect(port, '127.0.0.1')
      socket.write(`PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n${sent}`)
      let answer = ''
      socket.on('data', (data) => (answer += data)).on('error', () => {})
      return { socket, ended: once(socket, 'close').then(() => answer) }
    },
  }
}

const files = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name)
    .sort()

test('a refused part is told why, in JSON', async () => {
  const { begin, put, storage } = await open()
  const { upload, path } = await begin(10)
  const cases: [string, RequestInit, number, RegExp][] = [
    [path, { method: 'POST', body: 'x' }, 405, /PUT/],
    ['/storage/uploads/one', {}, 403, /no upload address/],
    [path.replace('one', '%zz'), { body: 'x' }, 403, /no upload address/],
    [path.replace('upload=', 'upload=a'), { body: 'x'.repeat(10) }, 403, /no upload address/],
    [`${path}&part=2`, { body: 'x'.repeat(10) }, 403, /no upload address/],
    [path, { body: new Blob(['x']).stream(), duplex: 'half' }, 411, /Content-Length/],
    [path, { body: new Uint8Array(20_000_000) }, 400, /exactly 10 bytes, but 20000000 are announced/],
    [(await storage.sign(upload, [1], -1))[0]!.url, { body: 'x'.repeat(10) }, 403, /expired/],
  ]
  for (const [path, request, status, error] of cases) {
    const answer = await put(path, null, request)
    expect(answer).toMatchObject({ status, body: { error: expect.stringMatching(error) } })
  }
  await storage.remove(upload.key)
  expect(await put(path, 'x'.repeat(10))).toMatchObject({
    status: 404,
    body: { error: 'This upload has ended. Ask for a new one.' },
  })
})

test('a broken connection leaves nothing, and the part can come again', async () => {
  const { folder, begin, part, put, storage } = await open()
  const { upload, path } = await begin(100_000)
  const broken = await part(path, 100_000, 'x'.repeat(60_000))
  await eventually(
    async () => (await files(folder)).length === 2,
    () => 'a file for the part',
  )
  broken.socket.destroy()
  await eventually(
    async () => (await files(folder)).length === 1,
    () => 'the file removed',
  )
  expect(await storage.arrived(upload)).toEqual([])
  expect((await put(path, 'y'.repeat(100_000))).status).toBe(200)
  await storage.complete(upload)
  expect(await readFile(join(folder, 'objects/uploads/one'), 'utf8')).toBe('y'.repeat(100_000))
  expect(await files(folder)).toEqual(['one'])
  await storage.remove('uploads/one')
  expect(await readdir(folder, { recursive: true })).toEqual(expect.arrayContaining(['arriving', 'objects']))
  expect(await readdir(join(folder, 'objects/uploads')).catch(() => [])).toEqual([])
})

test('who sends too slowly is ended', bestOfThree, async () => {
  const { folder, begin, part, storage } = await open({ milliseconds: 200, bytesPerSecond: 1_000_000 })
  const { upload, path } = await begin(100_000)
  const slow = await part(path, 100_000, 'x')
  const drip = setInterval(() => slow.socket.write('x'), 20)
  const answer = await slow.ended
  clearInterval(drip)
  expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*Connection: close[^]*"This part came too slowly/)
  expect(await storage.arrived(upload)).toEqual([])
  expect(await files(folder)).toEqual(['whole'])
})

test('a part that is sent again ends the connection on which it hung', bestOfThree, async () => {
  const { begin, part, put, storage } = await open()
  const { upload, path } = await begin(10)
  const hung = await part(path, 10, 'old')
  await new Promise((done) => setTimeout(done, 100))
  expect((await put(path, 'new bytes!')).status).toBe(200)
  expect(await hung.ended).toMatch(/^HTTP\/1\.1 409 /)
  await storage.complete(upload)
  expect(String(await buffer(await (await storage.open(upload.key))!.read()))).toBe('new bytes!')
})

test('the number of parts at a time is limited', bestOfThree, async () => {
  const { begin, part, put } = await open({ parts: 2, partsOfUpload: 1 })
  const [one, two, three] = [await begin(10, 'uploads/1'), await begin(10, 'uploads/2'), await begin(10, 'uploads/3')]
  const hung = [await part(one.path, 10, 'x'), await part(two.path, 10, 'x')]
  await new Promise((done) => setTimeout(done, 100))
  const refused = await put(three.path, '0123456789')
  expect(refused).toMatchObject({ status: 429, body: { error: expect.stringContaining('at once') } })
  expect(refused.headers.get('retry-after')).toBe('5')
  for (const { socket } of hung) socket.destroy()
  await eventually(
    async () => (await put(three.path, '0123456789')).status === 200,
    () => 'room for another part',
  )
})

test(
  'when all places are taken the slowest part makes room, but none that has just begun or is swift',
  bestOfThree,
  async () => {
    const { begin, part, put, storage } = await open({ parts: 2, unhurriedMs: 300, swiftBytesPerSecond: 20 })
    const [slow, swift, third] = [
      await begin(100, 'uploads/1'),
      await begin(1_000, 'uploads/2'),
      await begin(10, 'uploads/3'),
    ]
    const hung = await part(slow.path, 100, 'x')
    const going = await part(swift.path, 1_000, 'x'.repeat(900))
    await new Promise((done) => setTimeout(done, 100))
    expect((await put(third.path, '0123456789')).status).toBe(429)
    await new Promise((done) => setTimeout(done, 300))
    expect((await put(third.path, '0123456789')).status).toBe(200)
    expect(await hung.ended).toMatch(/^HTTP\/1\.1 429 [^]*Connection: close/)
    going.socket.write('x'.repeat(100))
    await eventually(
      async () => (await storage.arrived(swift.upload)).length === 1,
      () => 'the swift part',
    )
    going.socket.destroy()
  },
)

test('an upload without a place gets one from the upload with the most, at once', bestOfThree, async () => {
  const { begin, part, put, storage } = await open({ parts: 3, partsOfUpload: 2 })
  const large = await begin(20 * 1024 * 1024, 'uploads/1')
  const targets = await storage.sign(large.upload, [1, 2], 60)
  const [other, third] = [await begin(100, 'uploads/2'), await begin(10, 'uploads/3')]
  const hung = await Promise.all(targets.map(({ url, size }) => part(url, size, 'x')))
  hung.push(await part(other.path, 100, 'x'))
  await new Promise((done) => setTimeout(done, 100))
  expect((await put(third.path, '0123456789')).status).toBe(200)
  expect(await Promise.race(hung.slice(0, 2).map(({ ended }) => ended))).toMatch(/^HTTP\/1\.1 429 /)
  for (const { socket } of hung) socket.destroy()
})

test('the first bytes of a part stay, also if others are sent at the same time or later', async () => {
  const { folder, begin, storage } = await open()
  const size = 3_000_000
  for (let round = 0; round < 5; round += 1) {
    const { upload } = await begin(size, `uploads/${round}`)
    const take = (letter: string) =>
      partsIn(openFolder(folder), `${folder}/arriving/${upload.key}/${upload.id}`).take(
        1,
        0,
        size,
        Readable.from([Buffer.alloc(size, letter)]),
      )
    await Promise.all(['a', 'b', 'c', 'd'].map(take))
    expect(await storage.arrived(upload)).toEqual([{ number: 1, size }])
    await take('e')
    const late = ['f', 'g'].map((letter) => take(letter).catch(({ reason }) => reason))
    await storage.complete(upload)
    for (const result of await Promise.all(late)) expect([undefined, 'missing']).toContain(result)
    const bytes = await buffer(await (await storage.open(upload.key))!.read())
    expect(bytes.equals(Buffer.alloc(size, bytes[0]))).toBe(true)
    expect(String.fromCharCode(bytes[0]!)).toMatch(/[abcd]/)
  }
  await storage.remove('uploads/')
  expect(await files(folder)).toEqual([])
})

test('links lead nowhere', async () => {
  const { folder, storage } = await open()
  const outside = temporaryFolder()
  await writeFile(join(outside, 'secret'), 'secret')
  await storage.write('builds/a/file', Buffer.from('x'), 1)
  await symlink(join(outside, 'secret'), join(folder, 'objects/builds/a/link'))
  await symlink(outside, join(folder, 'objects/builds/away'))
  await mkdir(join(folder, 'objects/builds/a/folder'))
  for (const key of ['builds/a/link', 'builds/a/folder', 'builds/a']) {
    expect(await storage.open(key), key).toBeUndefined()
    await expect(storage.local(key)).rejects.toMatchObject({ reason: 'missing' })
    await expect(storage.copy(key, 'files/copy')).rejects.toMatchObject({ reason: 'missing' })
  }
  const refused = {
    name: 'StorageFailure',
    reason: 'unavailable',
    message: expect.stringContaining('leads out of it by a link'),
  }
  await expect(storage.open('builds/away/secret')).rejects.toMatchObject(refused)
  await expect(storage.write('builds/away/new', randomBytes(5), 5)).rejects.toMatchObject(refused)
  await expect(storage.remove('builds/away/secret')).rejects.toMatchObject(refused)
  await storage.remove('builds/')
  expect(await readdir(outside)).toEqual(['secret'])
  expect(await files(folder)).toEqual([])
})

test('a folder that cannot be used is told', async () => {
  const file = join(temporaryFolder(), 'file')
  await writeFile(file, '')
  const storage = localStorage({ kind: 'local', folder: file, key: Buffer.alloc(32) })
  await expect(storage.write('a', Buffer.alloc(1), 1)).rejects.toMatchObject({
    name: 'StorageFailure',
    reason: 'unavailable',
  })
  await expect(storage.begin('a', 1)).rejects.toMatchObject({ name: 'StorageFailure', reason: 'unavailable' })
})

test.each([
  ['four times the reserve of the database', { reserve: 225 }],
  ['what is set', { reserve: 225, uploadReserve: 900 }],
  ['never less than the reserve of the database', { reserve: 900, uploadReserve: 1 }],
])('uploads leave %s free: 507 for a part, and neither an upload nor a file begins', async (_what, reserves) => {
  const space = { free: 1_000, total: 10_000 }
  const folder = temporaryFolder()
  const storage = localStorage({ kind: 'local', folder, key: Buffer.alloc(32, 1), ...reserves }, {}, async () => space)
  const server = createServer((request, response) => void storage.receive!(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => void server.close())
  const put = async (path: string, body: string) =>
    (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method: 'PUT', body })).status
  const upload = { key: 'uploads/one', size: 100, id: await storage.begin('uploads/one', 100) }
  const [target] = await storage.sign(upload, [1], 60)
  space.free = 999
  expect(await put(target!.url, 'x'.repeat(100))).toBe(507)
  await expect(storage.begin('uploads/two', 100)).rejects.toMatchObject({ reason: 'full' })
  await expect(storage.write('files/one', Buffer.alloc(100), 100)).rejects.toMatchObject({ reason: 'full' })
  expect(await storage.open('files/one')).toBeUndefined()
  space.free = 1_000
  expect(await put(target!.url, 'x'.repeat(100))).toBe(200)
  await storage.write('files/one', Buffer.alloc(100), 100)
  // room for one of two that come together
  const both = await Promise.allSettled(
    ['files/two', 'files/three'].map((key) => storage.write(key, Buffer.alloc(100), 100)),
  )
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})
