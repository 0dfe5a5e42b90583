import type { Response } from 'express'

/** Keeps proxies and our own server from taking the stream for dead. */
const beatMs = 15_000

/**
 * Answers with server-sent events until the visitor leaves or the response is ended; whoever loses the connection comes
 * back by itself and tells the last id. What it returns sends one; false: the visitor is slow to take them.
 */
export function eventStream(response: Response): (id: string | bigint, data: unknown) => boolean {
  response
    .status(200)
    .set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' })
  response.flushHeaders()
  response.write('retry: 2000\n\n')
  const beat = setInterval(() => response.write(':\n\n'), beatMs)
  response.once('close', () => clearInterval(beat))
  return (id, data) => response.write(`id: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
}
