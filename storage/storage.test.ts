import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endAll, temporaryFolder } from '../start/fixtures/launch.ts'
import { openStorage } from './open.ts'
import { isKey, type PartTarget, type Storage } from './storage.ts'
import { startSwift } from '../test/support/swift.ts'

const swift = await startSwift()
if (!swift) {
  process.stderr.write(
    '\n*** S3 storage was NOT tested: install swift-proxy, swift-account, swift-container and swift-object. ***\n\n',
  )
}
afterAll(endAll)

const stores = {
  'local disk': { kind: 'local' as const, folder: temporaryFolder(), key: randomBytes(32) },
  ...(swift && { 'S3 (OpenStack Swift)': swift }),
}

describe.each(Object.entries(stores))('%s', (_, config) => {
  const storage = openStorage(config)
  const key = (name: string = randomUUID()): string => `files/${name}`
  const contentOf = async (key: string, range?: { start: number; end: number }) =>
    buffer(await (await storage.open(key))!.read(range))
  const keys = async (prefix: string) => (await Readable.from(storage.list(prefix)).toArray()).sort()
  let server: Server
  let base: string

  beforeAll(async () => {
    server = createServer((request, response) => void storage.receive!(request, response))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  const send = ({ url }: Pick<PartTarget, 'url'>, bytes: Buffer) =>
    fetch(new URL(url, base), { method: 'PUT', body: new Uint8Array(bytes) })

  async function begin(size: number, at = key('uploaded/' + randomUUID())) {
    const upload = { key: at, size, id: await storage.begin(at, size) }
    const numbers = Array.from({ length: Math.ceil(size / storage.partSize) }, (_, index) => index + 1)
    return { upload, targets: await storage.sign(upload, numbers, 600) }
  }

  async function sendAll(targets: readonly PartTarget[], bytes: Buffer): Promise<void> {
    for (const target of targets.toReversed()) {
      const start = (target.number - 1) * storage.partSize
      expect((await send(target, bytes.subarray(start, start + target.size))).status).toBe(200)
    }
  }

  test('writes, reads, ranges', async () => {
    const [at, bytes] = [key(), randomBytes(300_000)]
    expect(await storage.open(at)).toBeUndefined()
    await storage.write(at, bytes, bytes.length)
    const object = (await storage.open(at))!
    expect(object.size).toBe(bytes.length)
    expect(object.etag).toMatch(/^"[\x21\x23-\x7e]+"$/)
    expect(await contentOf(at)).toEqual(bytes)
    expect(await contentOf(at, { start: 7, end: 7 })).toEqual(bytes.subarray(7, 8))
    expect(await contentOf(at, { start: 299_990, end: 299_999 })).toEqual(bytes.subarray(-10))
    await storage.write(at, Readable.from([]), 0)
    expect((await storage.open(at))!.size).toBe(0)
    expect(await contentOf(at)).toHaveLength(0)
    expect((await storage.open(at))!.etag).not.toBe(object.etag)
  })

  test('writes streams of more than a part', async () => {
    const [at, bytes] = [key(), randomBytes(storage.partSize * 2 + 12_345)]
    const chunks = Array.from({ length: Math.ceil(bytes.length / 70_001) }, (_, index) =>
      bytes.subarray(index * 70_001, (index + 1) * 70_001),
    )
    await storage.write(at, Readable.from(chunks), bytes.length)
    expect((await contentOf(at)).equals(bytes)).toBe(true)
    expect(
      (await contentOf(at, { start: storage.partSize - 5, end: storage.partSize + 4 })).equals(
        bytes.subarray(storage.partSize - 5, storage.partSize + 5),
      ),
    ).toBe(true)
  })

  test('writes all or nothing', async () => {
    const big = storage.partSize + 10
    const cases: [number, number][] = [
      [10, 9],
      [9, 10],
      [0, 1],
      [1, 0],
      [big, big + 1],
      [big, big - 1],
    ]
    for (const [said, sent] of cases) {
      const at = key(`partial/${said}-${sent}`)
      await expect(storage.write(at, Readable.from([Buffer.alloc(sent)]), said), at).rejects.toMatchObject({
        name: 'StorageFailure',
        reason: 'incomplete',
      })
      expect(await storage.open(at), at).toBeUndefined()
    }
    const own = new Error('checked and found bad')
    const source = Readable.from(
      (async function* () {
        yield Buffer.alloc(big)
        throw own
      })(),
    )
    await expect(storage.write(key('partial/own'), source, big * 2)).rejects.toBe(own)
    expect(source.destroyed).toBe(true)
    expect(await keys('files/partial/')).toEqual([])
  })

  test('keys of all kinds are names and nothing else', async () => {
    const names = [
      'a b',
      'ä/ß 日本.html',
      '%2e%2e/x',
      'q?u=1&x#y;z\'"<>',
      '+plus',
      '...',
      '~',
      '*!()$@,:=',
      'UPPER',
      `${'l'.repeat(251)}.txt`,
      '😀.png',
    ]
    for (const name of names) await storage.write(key(`names/${name}`), Buffer.from(name), Buffer.byteLength(name))
    expect(await keys('files/names/')).toEqual(names.map((name) => `files/names/${name}`).sort())
    for (const name of names) expect(String(await contentOf(key(`names/${name}`)))).toBe(name)
    await storage.remove('files/names/')
    expect(await keys('files/names/')).toEqual([])
    const bad = [
      '',
      '/',
      'a//b',
      '/a',
      'a/',
      '.',
      '..',
      'a/../b',
      '../a',
      'a/./b',
      'a\\b',
      'a\0b',
      'a\nb',
      '\ud800',
      'x'.repeat(256),
      `${'y/'.repeat(450)}z`,
    ]
    for (const key of bad) {
      expect(isKey(key), key).toBe(false)
      expect(await storage.open(key), key).toBeUndefined()
      await expect(storage.write(key, Buffer.alloc(1), 1), key).rejects.toThrow(TypeError)
      if (!key.endsWith('/') || key === '/') await expect(storage.remove(key), key).rejects.toThrow(TypeError)
    }
  })

  test('an upload of several parts, out of order and interrupted', async () => {
    const bytes = randomBytes(storage.partSize * 2 + 1000)
    const { upload, targets } = await begin(bytes.length)
    expect(targets.map(({ number, size }) => [number, size])).toEqual([
      [1, storage.partSize],
      [2, storage.partSize],
      [3, 1000],
    ])
    expect(await storage.arrived(upload)).toEqual([])
    await sendAll(targets.slice(1), bytes)
    expect(await storage.arrived(upload)).toEqual([
      { number: 2, size: storage.partSize },
      { number: 3, size: 1000 },
    ])
    await expect(storage.complete(upload)).rejects.toMatchObject({ reason: 'incomplete' })
    expect(await storage.open(upload.key)).toBeUndefined()
    await sendAll(await storage.sign(upload, [1], 60), bytes)
    await storage.complete(upload)
    expect((await contentOf(upload.key)).equals(bytes)).toBe(true)
    await storage.complete(upload)
    const late = await send(targets[2]!, Buffer.alloc(1000))
    const read = await contentOf(upload.key).catch((error: unknown) => error)
    // Swift takes it, and then does not read out what is not the object any more
    if (late.ok) expect(read).toMatchObject({ name: 'StorageFailure', reason: 'unavailable' })
    else expect(bytes.equals(read as Buffer)).toBe(true)
    expect(late.ok).toBe(config === swift)
  })

  test('one part is enough, and has exactly the size that was signed', async () => {
    const bytes = randomBytes(1234)
    const {
      upload,
      targets: [target],
    } = await begin(bytes.length)
    for (const wrong of [bytes.subarray(1), Buffer.concat([bytes, bytes]), Buffer.alloc(0)]) {
      const { status } = await send(target!, wrong)
      expect(status, `${wrong.length}`).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
    }
    expect(await storage.arrived(upload)).toEqual([])
    await sendAll([target!], bytes)
    await storage.complete(upload)
    expect(await contentOf(upload.key)).toEqual(bytes)
  })

  test('an address that was changed or has expired is good for nothing', async () => {
    const {
      upload,
      targets: [target],
    } = await begin(10)
    const url = new URL(target!.url, base)
    const changed = [...url.searchParams].map(([name, value]) => {
      const other = new URL(url)
      other.searchParams.set(name, /^\d+$/.test(value) ? `${Number(value) + 1}` : `${value.slice(0, -3)}AAA`)
      return other
    })
    const elsewhere = new URL(url)
    elsewhere.pathname = elsewhere.pathname.replace(/.$/, (end) => (end === '0' ? '1' : '0'))
    const unsigned = new URL(url.pathname, url)
    for (const { href } of [...changed, elsewhere, unsigned]) {
      const { status } = await send({ url: href }, Buffer.alloc(10))
      expect(status, href).toBeGreaterThanOrEqual(400)
      expect(status, href).toBeLessThan(500)
    }
    const [brief] = await storage.sign(upload, [1], 1)
    await new Promise((done) => setTimeout(done, 2_100))
    expect((await send(brief!, Buffer.alloc(10))).status).toBe(403)
    expect(await storage.arrived(upload)).toEqual([])
    expect((await send(target!, Buffer.alloc(10))).status).toBe(200)
    await expect(storage.sign(upload, [2], 60)).rejects.toThrow(RangeError)
  })

  test('removes an object, what was uploaded for it, or everything below', async () => {
    for (const name of ['one', 'one-more', 'deep/er/two'])
      await storage.write(key(`gone/${name}`), Buffer.from(name), name.length)
    const { upload, targets } = await begin(10, key('gone/upload'))
    await sendAll(targets, Buffer.alloc(10))
    await storage.remove(upload.key)
    await expect(storage.arrived(upload)).rejects.toMatchObject({ reason: 'missing' })
    await expect(storage.complete(upload)).rejects.toMatchObject({ reason: 'missing' })
    expect((await send(targets[0]!, Buffer.alloc(10))).status).toBe(404)
    await storage.remove(key('gone/one'))
    await storage.remove(key('gone/one'))
    expect(await keys('files/gone/')).toEqual(['files/gone/deep/er/two', 'files/gone/one-more'])
    const other = await begin(10, key('gone/deep/upload'))
    await storage.remove('files/gone/deep')
    expect(await keys('files/gone/')).toHaveLength(2)
    await storage.remove('files/gone/')
    expect(await keys('files/gone/')).toEqual([])
    await expect(storage.arrived(other.upload)).rejects.toMatchObject({ reason: 'missing' })
    await storage.remove('files/gone/')
  })

  test('copies stand on their own', async () => {
    const [from, to] = [key(), key('copies/é +.zip')]
    await expect(storage.copy(from, to)).rejects.toMatchObject({ reason: 'missing' })
    await storage.write(from, Buffer.from('content'), 7)
    await storage.copy(from, to)
    await storage.copy(from, to)
    await storage.remove(from)
    expect(String(await contentOf(to))).toBe('content')
    const bytes = randomBytes(storage.partSize + 5)
    const { upload, targets } = await begin(bytes.length)
    await sendAll(targets, bytes)
    await storage.complete(upload)
    await storage.copy(upload.key, to)
    await storage.remove(upload.key)
    expect((await contentOf(to)).equals(bytes)).toBe(true)
  })

  test('an object as a file', async () => {
    const at = key()
    await expect(storage.local(at)).rejects.toMatchObject({ reason: 'missing' })
    await storage.write(at, Buffer.from('abc'), 3)
    const { path, done } = await storage.local(at)
    expect(await readFile(path, 'utf8')).toBe('abc')
    await done()
    expect(String(await contentOf(at))).toBe('abc')
  })
})

test.runIf(swift)(
  'a store that refuses or is not there is told so, without its secrets',
  { timeout: 120_000 },
  async () => {
    for (const wrong of [
      { secretKey: 'no-such-secret' },
      { bucket: 'none-such' },
      { endpoint: 'http://127.0.0.1:9' },
    ]) {
      const storage: Storage = openStorage({ ...swift!, ...wrong })
      const error: Error = await storage.write('files/x', Buffer.alloc(1), 1).then(
        () => {
          throw new Error('It was written.')
        },
        (error) => error,
      )
      expect(error).toMatchObject({ name: 'StorageFailure', reason: 'unavailable' })
      expect(error.message).not.toContain('secret')
    }
  },
)
