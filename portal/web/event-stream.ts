import type { Response } from 'express'

/** Comments at this interval keep proxies and the server from closing an idle stream. */
const beatMs = 15_000

/**
 * Answers with server-sent events. A browser that loses the connection connects again and sends the last id.
 * Returns a function that sends one event; false: wait for `drain` before the next one.
 */
export function eventStream(response: Response): (id: string | bigint, data: unknown) => boolean {
  response
    .status(200)
    .set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' })
  response.flushHeaders()
  response.write('retry: 2000\n\n')
  // a stream may have ended and still wait for a browser that does not read
  const beat = setInterval(() => response.writableEnded || response.write(':\n\n'), beatMs)
  response.once('close', () => clearInterval(beat))
  response.on('error', () => clearInterval(beat))
  return (id, data) => response.write(`id: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
}
