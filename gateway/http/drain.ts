import type { IncomingMessage, ServerResponse } from 'node:http'

/** Reads on before the connection is closed: a reset would discard the answer of a client that is still sending. */
export type Drain = (request: IncomingMessage, response: ServerResponse) => void

/** How much of an unwanted body is read, and how long. */
const drainBytes = 8 * 1024 * 1024
const drainMs = 5000
/**
 * How much is read of all unwanted bodies together: at once, and then each second. Reading 500 MB/s takes a whole
 * processor. A client that reads while it sends has its answer even where nothing is read.
 */
const burst = 16 * 1024 * 1024
const perSecond = 32 * 1024 * 1024
/** Senders that wait to be read. Each holds up to 128 KB. */
const mostWaiting = 256
const everyMs = 50

export function createDrain(now = (): number => performance.now()): Drain {
  let room = burst
  let since = now()
  /** Senders that wait, the one that waits longest first: what reads on, and what ends it. */
  const waiting = new Map<() => void, () => void>()
  let timer: NodeJS.Timeout | undefined

  function hasRoom(): boolean {
    const time = now()
    room = Math.min(burst, room + ((time - since) / 1000) * perSecond)
    since = time
    return room > 0
  }

  function readOn(): void {
    // each reads a piece before it counts: the longest waiting first, and what is read too much counts later
    let pieces = hasRoom() ? Math.ceil(room / (64 * 1024)) : 0
    for (const resume of waiting.keys()) {
      if (pieces-- <= 0) return
      waiting.delete(resume)
      resume()
    }
    clearInterval(timer)
    timer = undefined
  }

  return (request, response) => {
    let left = drainBytes
    const resume = (): void => void request.resume()
    const end = (): void => {
      clearTimeout(ending)
      waiting.delete(resume)
      request.off('data', take).off('end', end).off('close', end)
      response.end()
    }
    const wait = (): void => {
      request.pause()
      if (waiting.size >= mostWaiting) waiting.values().next().value!()
      waiting.set(resume, end)
      timer ??= setInterval(readOn, everyMs).unref()
    }
    const take = (chunk: Buffer): void => {
      left -= chunk.length
      room -= chunk.length
      if (left < 0) end()
      else if (!hasRoom()) wait()
    }
    const ending = setTimeout(end, drainMs)
    request.on('data', take).on('end', end).on('close', end)
    if (hasRoom()) request.resume()
    else wait()
  }
}
