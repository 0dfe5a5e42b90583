import type { IncomingMessage, ServerResponse } from 'node:http'

/** How much of an unwanted body is read, and how long, so that its sender receives the answer. */
const drainBytes = 8 * 1024 * 1024
const drainMs = 5000

/** Reads on before the connection is closed: a reset would discard the answer of a client that is still sending. */
export function drain(request: IncomingMessage, response: ServerResponse): void {
  let left = drainBytes
  const end = (): void => {
    clearTimeout(timer)
    request.off('data', take).off('end', end).off('close', end)
    response.end()
  }
  const take = (chunk: Buffer): void => {
    left -= chunk.length
    if (left < 0) end()
  }
  const timer = setTimeout(end, drainMs)
  request.on('data', take).on('end', end).on('close', end).resume()
}
