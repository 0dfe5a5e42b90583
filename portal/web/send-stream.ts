import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Response } from 'express'

/** Milliseconds for which a browser may read nothing. */
const patienceMs = 60_000

/**
 * Sends a file as it comes, no faster than the browser reads. Until the first part an error still gets its page; after
 * it the connection breaks, so that the browser does not take the beginning for the whole.
 * @param read ends when the signal aborts: the browser has left
 * @param head sets the headers, before the first part
 */
export async function sendStream(
  response: Response,
  head: (response: Response) => void,
  read: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
): Promise<void> {
  const left = new AbortController()
  const leave = (): void => left.abort()
  response.once('close', leave)
  try {
    for await (const data of read(left.signal)) {
      if (!response.headersSent) head(response)
      if (data.length > 0 && !response.write(data)) await drained(response, left.signal)
      // a file without bytes has headers, too
      else if (!response.headersSent) response.flushHeaders()
    }
    response.end()
  } catch (error) {
    if (!response.headersSent && !left.signal.aborted) throw error
    response.destroy()
  } finally {
    response.off('close', leave)
    left.abort()
  }
}

async function drained(response: Response, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  try {
    await Promise.race([
      once(response, 'drain', { signal }),
      sleep(patienceMs, undefined, { signal: over.signal, ref: false }).then(() => {
        throw new Error('the browser does not read')
      }),
    ])
  } finally {
    over.abort()
  }
}
