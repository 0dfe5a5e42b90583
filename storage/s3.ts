import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { S3StorageConfig } from './config.ts'
import { exactly } from './exactly.ts'
import { guarded } from './folder.ts'
import { elements, escape, readXml, s3Client } from './s3-client.ts'
import { isKey, partSizes, StorageFailure, type PendingUpload, type Storage, type StoredObject } from './storage.ts'

/** S3 accepts parts of 5 MiB or more. One part of each object that is being written is in memory. */
const partSize = 8 * 1024 * 1024
const dayMs = 24 * 60 * 60 * 1000

interface S3Part {
  number: number
  size: number
  etag: string
}

/** Objects in a bucket of an S3 store, which takes the parts of uploads itself. */
export function s3Storage(config: S3StorageConfig): Storage {
  const client = s3Client(config)

  async function begin(key: string): Promise<string> {
    const xml = await readXml(await client.send({ method: 'POST', key: checked(key), query: { uploads: '' } }))
    return only(xml, 'UploadId')
  }

  async function partsOf({ key, id }: { key: string; id: string }): Promise<S3Part[]> {
    const parts: S3Part[] = []
    for (let marker = '0'; ;) {
      const xml = await readXml(
        await client.send({ method: 'GET', key: checked(key), query: { uploadId: id, 'part-number-marker': marker } }),
      )
      parts.push(
        ...elements(xml, 'Part').map((part) => ({
          number: Number(only(part, 'PartNumber')),
          size: Number(only(part, 'Size')),
          etag: only(part, 'ETag'),
        })),
      )
      const [next] = elements(xml, 'NextPartNumberMarker')
      if (elements(xml, 'IsTruncated')[0] !== 'true' || !next || next === marker)
        return parts.sort((a, b) => a.number - b.number)
      marker = next
    }
  }

  async function whole(upload: PendingUpload): Promise<S3Part[]> {
    const sizes = partSizes(upload.size, partSize)
    return (await partsOf(upload)).filter(({ number, size }) => sizes[number - 1] === size)
  }

  async function assemble(key: string, id: string, parts: readonly { number: number; etag: string }[]): Promise<void> {
    const listed = parts.map(
      ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escape(etag)}</ETag></Part>`,
    )
    const body = Buffer.from(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
        `${listed.join('')}</CompleteMultipartUpload>`,
    )
    await readXml(
      await client.send({
        method: 'POST',
        key,
        query: { uploadId: id },
        headers: { 'content-type': 'application/xml' },
        body,
      }),
    )
  }

  async function abort(key: string, id: string): Promise<void> {
    await client.send({ method: 'DELETE', key, query: { uploadId: id } }).catch(unlessMissing)
  }

  /** Aborts the uploads below a prefix whose key is `wanted`. */
  async function abortAll(prefix: string, wanted: (key: string) => boolean): Promise<void> {
    for (let markers: Record<string, string> = {}; ;) {
      const xml = await readXml(await client.send({ method: 'GET', query: { uploads: '', prefix, ...markers } }))
      for (const upload of elements(xml, 'Upload')) {
        const key = only(upload, 'Key')
        if (wanted(key)) await abort(key, only(upload, 'UploadId'))
      }
      const [key, id] = [elements(xml, 'NextKeyMarker')[0], elements(xml, 'NextUploadIdMarker')[0]]
      if (elements(xml, 'IsTruncated')[0] !== 'true' || !key || !id || id === markers['upload-id-marker']) return
      markers = { 'key-marker': key, 'upload-id-marker': id }
    }
  }

  async function* pages(prefix: string): AsyncGenerator<string[]> {
    for (let more: Record<string, string> = {}; ;) {
      const xml = await readXml(await client.send({ method: 'GET', query: { 'list-type': '2', prefix, ...more } }))
      yield elements(xml, 'Contents').map((object) => only(object, 'Key'))
      const [next] = elements(xml, 'NextContinuationToken')
      if (elements(xml, 'IsTruncated')[0] !== 'true' || !next) return
      more = { 'continuation-token': next }
    }
  }

  async function removeAll(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return
    const body = Buffer.from(
      `<Delete><Quiet>true</Quiet>${keys.map((key) => `<Object><Key>${escape(key)}</Key></Object>`).join('')}</Delete>`,
    )
    const headers = {
      'content-type': 'application/xml',
      'content-md5': createHash('md5').update(body).digest('base64'),
    }
    await readXml(await client.send({ method: 'POST', query: { delete: '' }, headers, body }))
  }

  async function open(key: string): Promise<StoredObject | undefined> {
    const head = isKey(key) ? await client.send({ method: 'HEAD', key }).catch(unlessMissing) : undefined
    if (!head) return undefined
    const etag = head.headers.get('etag') ?? ''
    return {
      size: Number(head.headers.get('content-length')),
      etag: etag.startsWith('"') ? etag : `"${etag.replace(/^W\//, '')}"`,
      async read(range) {
        const headers = {
          ...(etag && { 'if-match': etag }),
          ...(range && { range: `bytes=${range.start}-${range.end}` }),
        }
        const answer = await client.send({ method: 'GET', key, headers })
        if (range && answer.status !== 206) {
          await answer.body?.cancel()
          throw new StorageFailure('unavailable', 'The store does not support ranges.')
        }
        const size = range ? range.end - range.start + 1 : Number(head.headers.get('content-length'))
        return Readable.from(arriving(answer, size), { objectMode: false })
      },
    }
  }

  return {
    partSize,
    uploadOrigins: [config.endpoint],

    begin: (key) => begin(key),
    async sign({ key, id, size: total }, numbers, seconds) {
      const sizes = partSizes(total, partSize)
      return Promise.all(
        numbers.map(async (number) => {
          const size = sizes[number - 1]
          if (size === undefined) throw new RangeError(`There is no part ${number} of ${sizes.length}.`)
          return {
            number,
            size,
            url: await client.presign({
              key: checked(key),
              query: { partNumber: `${number}`, uploadId: id },
              size,
              seconds,
            }),
          }
        }),
      )
    },
    arrived: async (upload) => (await whole(upload)).map(({ number, size }) => ({ number, size })),
    async complete(upload) {
      const { key, id, size } = upload
      try {
        const parts = await whole(upload)
        const lacking = Math.ceil(size / partSize) - parts.length
        if (lacking > 0)
          throw new StorageFailure(
            'incomplete',
            `${lacking} ${lacking > 1 ? 'parts' : 'part'} of the upload ${lacking > 1 ? 'have' : 'has'} not arrived.`,
          )
        await assemble(key, id, parts)
      } catch (error) {
        // it was completed before, or by an attempt whose answer was lost
        if (error instanceof StorageFailure && error.reason === 'missing' && (await open(key))?.size === size) return
        throw error
      }
    },

    async write(key, content, size) {
      const source = Buffer.isBuffer(content) ? Readable.from([content]) : content
      let upload: string | undefined
      const etags: { number: number; etag: string }[] = []
      try {
        await pipeline(source, exactly(size), blocks, async (all: AsyncIterable<Buffer>) => {
          for await (const body of all) {
            if (size <= partSize) {
              await client.send({ method: 'PUT', key: checked(key), body })
              continue
            }
            upload ??= await begin(key)
            const number = etags.length + 1
            const answer = await client.send({
              method: 'PUT',
              key,
              query: { partNumber: `${number}`, uploadId: upload },
              body,
            })
            etags.push({ number, etag: answer.headers.get('etag') ?? '' })
          }
        })
        if (upload !== undefined) await assemble(key, upload, etags)
      } catch (error) {
        source.destroy()
        if (upload !== undefined) await abort(key, upload).catch(() => {})
        throw error
      }
    },
    async copy(from, to) {
      const source = `/${[config.bucket, ...checked(from).split('/')].map(encodeURIComponent).join('/')}`
      await readXml(await client.send({ method: 'PUT', key: checked(to), headers: { 'x-amz-copy-source': source } }))
    },
    open,
    async local(key) {
      const object = await open(key)
      if (!object) throw new StorageFailure('missing', `There is no object ${key}.`)
      await removeLeftDownloads()
      const folder = await guarded(() => mkdtemp(`${tmpdir()}/${downloads}`))
      const done = (): Promise<void> => rm(folder, { recursive: true, force: true })
      try {
        await pipeline(
          await object.read(),
          exactly(object.size),
          createWriteStream(`${folder}/object`, { mode: 0o600 }),
        )
        return { path: `${folder}/object`, done }
      } catch (error) {
        await done()
        return guarded(() => Promise.reject(error))
      }
    },
    async remove(key) {
      if (!key.endsWith('/')) {
        await abortAll(checked(key), (found) => found === key)
        await client.send({ method: 'DELETE', key }).catch(unlessMissing)
        return
      }
      await abortAll(checkedPrefix(key), () => true)
      for await (const keys of pages(key)) await removeAll(keys)
    },
    async *list(prefix) {
      for await (const keys of pages(checkedPrefix(prefix))) yield* keys
    },
  }
}

const downloads = 'lrs-object-'

/** Removes the files that killed processes have left in the temporary folder. */
async function removeLeftDownloads(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(downloads))
  for (const path of names.map((name) => join(tmpdir(), name))) {
    const found = await stat(path).catch(() => undefined)
    if (found && found.mtimeMs < Date.now() - dayMs) await rm(path, { recursive: true, force: true })
  }
}

/** The bytes of an answer. @throws StorageFailure when it ends early */
async function* arriving(answer: Response, size: number): AsyncGenerator<Buffer> {
  try {
    yield* exactly(size)(Readable.fromWeb(answer.body ?? new ReadableStream({ start: (empty) => empty.close() })))
  } catch (error) {
    throw new StorageFailure('unavailable', 'The answer of the store ended before the object was complete.', {
      cause: error,
    })
  }
}

/** The bytes in blocks of the size of a part; without any bytes, one empty block. */
async function* blocks(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let size = 0
  let any = false
  for await (const chunk of source) {
    for (let rest = chunk; rest.length > 0;) {
      const part = rest.subarray(0, partSize - size)
      rest = rest.subarray(part.length)
      waiting.push(part)
      size += part.length
      if (size < partSize) continue
      yield Buffer.concat(waiting)
      waiting = []
      size = 0
      any = true
    }
  }
  if (size > 0 || !any) yield Buffer.concat(waiting)
}

function only(xml: string, name: string): string {
  const [text] = elements(xml, name)
  if (text === undefined) throw new StorageFailure('unavailable', `The store's answer has no ${name}.`)
  return text
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof StorageFailure && error.reason === 'missing')) throw error
}

function checked(key: string): string {
  if (!isKey(key)) throw new TypeError('This is no key of storage.')
  return key
}

function checkedPrefix(prefix: string): string {
  return `${checked(prefix.replace(/\/$/, ''))}/`
}
