import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { readSignedUrl, type Permission } from './signed-url.ts'
import { StorageFailure } from './storage.ts'

export interface ReceiverLimits {
  /** Most parts that arrive at a time: in this process, and of one upload. */
  parts: number
  partsOfUpload: number
  /** Time limit of a part: these milliseconds, and the time of its bytes at this rate. */
  milliseconds: number
  bytesPerSecond: number
  /** When all slots are taken, the slowest part of this age or more is ended, unless it is faster than this. */
  unhurriedMs: number
  swiftBytesPerSecond: number
}

const usual: ReceiverLimits = {
  parts: 64,
  partsOfUpload: 8,
  milliseconds: 30_000,
  bytesPerSecond: 32 * 1024,
  unhurriedMs: 10_000,
  swiftBytesPerSecond: 256 * 1024,
}

/** A part that is arriving. */
interface Arriving {
  readonly permission: Permission
  readonly end: AbortController
  readonly began: number
  bytes: number
}

/** A part that is refused. */
class NotTaken extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const tooMany = (): NotTaken =>
  new NotTaken(429, 'Too many parts are arriving at once. Send this one again in a moment.')

export type Take = (permission: Permission, bytes: AsyncIterable<Buffer>) => Promise<void>

/** Answers `PUT /storage/…`: 200 when the part is stored, otherwise JSON with the reason: `{"error": "…"}`. */
export function partReceiver(secret: Uint8Array, take: Take, limits: Partial<ReceiverLimits> = {}) {
  const { parts, partsOfUpload, milliseconds, bytesPerSecond, unhurriedMs, swiftBytesPerSecond } = {
    ...usual,
    ...limits,
  }
  const arriving = new Set<Arriving>()

  /**
   * Frees a slot when all are taken: ends the slowest part. If no part is slow, ends one of the upload with the most
   * slots, for an upload that has none.
   */
  function makeRoom(isFirst: boolean): boolean {
    const now = performance.now()
    const rate = ({ bytes, began }: Arriving): number => (bytes / (now - began)) * 1000
    const going = [...arriving].filter((one) => !one.end.signal.aborted)
    const slow = going.filter((one) => now - one.began > unhurriedMs && rate(one) < swiftBytesPerSecond)
    const [most = []] = Map.groupBy(going, ({ permission }) => permission.id)
      .values()
      .toArray()
      .toSorted((a, b) => b.length - a.length)
    const [slowest] = (slow.length > 0 || !isFirst || most.length < 2 ? slow : most).toSorted(
      (a, b) => rate(a) - rate(b),
    )
    slowest?.end.abort(tooMany())
    return slowest !== undefined
  }

  async function receive(request: IncomingMessage): Promise<void> {
    const permission = permit(secret, request)
    const { id, number, size } = permission
    const ofUpload = [...arriving].filter((other) => other.permission.id === id)
    // a part that is sent again has lost its earlier connection
    for (const { end } of ofUpload.filter((other) => other.permission.number === number))
      end.abort(new NotTaken(409, 'This part is being sent again.'))
    const taken = [...arriving].filter((one) => !one.end.signal.aborted).length
    if (ofUpload.length >= partsOfUpload || (taken >= parts && !makeRoom(ofUpload.length === 0))) throw tooMany()
    const end = new AbortController()
    const patience = setTimeout(
      () => end.abort(new NotTaken(408, 'This part came too slowly. Send it again.')),
      milliseconds + (size / bytesPerSecond) * 1000,
    )
    const entry: Arriving = { permission, end, began: performance.now(), bytes: 0 }
    arriving.add(entry)
    try {
      await take(permission, until(end.signal, request, entry))
    } finally {
      clearTimeout(patience)
      arriving.delete(entry)
    }
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await receive(request)
      answer(response, 200, {})
    } catch (error) {
      if (request.errored || response.destroyed) return
      const { status, message } = refusal(error)
      if (status === 429 || status === 503) response.setHeader('Retry-After', '5')
      if (!request.complete) response.setHeader('Connection', 'close')
      // a sender reads no answer before it has sent its bytes, and none at all if the connection closes before
      if (status !== 408 && status !== 409 && !request.closed)
        await Promise.race([once(request.resume(), 'close'), sleep(2_000)]).catch(() => {})
      answer(response, status, { error: message })
    }
  }
}

function permit(secret: Uint8Array, request: IncomingMessage): Permission {
  if (request.method !== 'PUT') throw new NotTaken(405, 'Parts of uploads are sent with PUT.')
  const permission = readSignedUrl(secret, request.url ?? '')
  if (!permission)
    throw new NotTaken(403, 'This is no upload address that was given out here. Ask for the upload again.')
  if (permission.expires * 1000 < Date.now())
    throw new NotTaken(403, 'This upload address has expired. Ask for a new one: parts that have arrived are kept.')
  const length = request.headers['content-length']
  if (length === undefined) throw new NotTaken(411, 'The request needs a Content-Length.')
  if (Number(length) !== permission.size)
    throw new NotTaken(400, `This part must have exactly ${permission.size} bytes, but ${length} are announced.`)
  return permission
}

/** The bytes of a request, until the signal is aborted; the connection stays open for the answer. */
async function* until(
  signal: AbortSignal,
  request: IncomingMessage,
  counted: { bytes: number },
): AsyncGenerator<Buffer> {
  const ended = once(signal, 'abort').then(() => Promise.reject(signal.reason))
  ended.catch(() => {})
  const chunks = request.iterator({ destroyOnReturn: false })
  for (;;) {
    const { done, value } = await Promise.race([chunks.next(), ended])
    if (done) return
    counted.bytes += (value as Buffer).length
    yield value
  }
}

function refusal(error: unknown): { status: number; message: string } {
  if (error instanceof NotTaken) return error
  if (!(error instanceof StorageFailure)) throw error
  switch (error.reason) {
    case 'missing':
      return { status: 404, message: 'This upload has ended. Ask for a new one.' }
    case 'incomplete':
      return { status: 400, message: error.message }
    case 'full':
      return { status: 507, message: 'There is no room for this part right now. Try again later.' }
    case 'unavailable':
      return { status: 503, message: 'Storage cannot be used right now. Try again in a moment.' }
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    .end(JSON.stringify(body))
}
