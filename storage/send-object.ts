import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import parseRange from 'range-parser'
import type { StoredObject } from './storage.ts'

/** Sends a stored object, one range of it, or 304; to HEAD without its bytes. */
export async function sendObject(
  request: IncomingMessage,
  response: ServerResponse,
  object: StoredObject,
  headers: Record<string, string>,
): Promise<void> {
  const { size, etag } = object
  for (const [name, value] of Object.entries({ ...headers, ETag: etag, 'Accept-Ranges': 'bytes' }))
    response.setHeader(name, value)
  if (matches(request.headers['if-none-match'], etag)) {
    for (const name of ['Content-Type', 'Content-Encoding', 'Content-Disposition']) response.removeHeader(name)
    response.writeHead(304).end()
    return
  }
  const range = request.method === 'HEAD' ? undefined : rangeOf(request, size, etag)
  if (range === 'none') {
    response.removeHeader('Content-Encoding')
    response
      .writeHead(416, { 'Content-Range': `bytes */${size}`, 'Content-Length': 0, 'Cache-Control': 'no-store' })
      .end()
    return
  }
  const length = range ? range.end - range.start + 1 : size
  response.setHeader('Content-Length', length)
  if (range) response.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${size}`)
  response.statusCode = range ? 206 : 200
  if (request.method === 'HEAD' || length === 0) {
    response.end()
    return
  }
  const content = await object.read(range)
  try {
    await pipeline(content, response)
  } catch (error) {
    // the browser has gone; everything else is for the log
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE' && !response.destroyed) throw error
    response.destroy()
  } finally {
    // if the browser had gone before, pipeline() does not close the file
    content.destroy()
  }
}

/** One range. Several ranges, or a unit other than bytes, mean the whole object (RFC 9110 14.2). */
function rangeOf(
  { headers }: IncomingMessage,
  size: number,
  etag: string,
): { start: number; end: number } | 'none' | undefined {
  const condition = headers['if-range']
  if (headers.range === undefined || (condition !== undefined && condition !== etag)) return undefined
  const ranges = parseRange(size, headers.range)
  if (ranges === -1) return 'none'
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined
  return ranges[0]
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}
