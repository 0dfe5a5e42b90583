import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, Response } from 'express'
import type { Logger } from 'pino'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { failureIn } from './failure.ts'

export interface LiveEvent {
  /** The browser sends the last one when it connects again. */
  readonly id: string | bigint
  readonly data: unknown
}

/** A visit (visit.ts) of a signed-in account. */
interface Viewer {
  readonly account: { readonly accountId: string; readonly studio?: { readonly studioId: string } }
  readonly request: Request
  readonly response: Response
}

export interface LiveOptions {
  /** Open streams of this process, and of one studio in all its sessions. */
  readonly inAll: number
  readonly ofStudio: number
  /** After this time the browser has to connect again, and the portal checks again who asks. */
  readonly turnMs: number
  /** A viewer who reads nothing for this long is disconnected. */
  readonly patienceMs: number
}

const usual: LiveOptions = { inAll: 200, ofStudio: 20, turnMs: 5 * 60_000, patienceMs: 20_000 }

/** Passes streams of core on to browsers, as server-sent events. */
export function liveStreams(log: Logger, options: LiveOptions = usual) {
  /** By studio, the oldest first. */
  const open = new Map<string, AbortController[]>()

  function enter(studio: string): AbortController | undefined {
    const own = open.get(studio) ?? []
    if (own.length >= options.ofStudio) return undefined
    const count = open.values().reduce((sum, { length }) => sum + length, 0)
    if (count >= options.inAll && !(own.length === 0 && makeRoom())) return undefined
    const viewer = new AbortController()
    open.set(studio, [...own, viewer])
    return viewer
  }

  /** Ends the oldest stream of the studio with the most streams, if that has more than one. */
  function makeRoom(): boolean {
    const [studio, most] = [...open].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
    if (studio === undefined || most === undefined || most.length < 2) return false
    most[0]!.abort()
    leave(studio, most[0]!)
    return true
  }

  function leave(studio: string, viewer: AbortController): void {
    const others = (open.get(studio) ?? []).filter((one) => one !== viewer)
    if (others.length === 0) open.delete(studio)
    else open.set(studio, others)
  }

  /** Answers the visit with the events of core's messages, until the viewer leaves or the stream ends. */
  async function push<Message>(
    { account, request, response }: Viewer,
    read: (signal: AbortSignal) => AsyncIterable<Message>,
    eventsOf: (message: Message) => Iterable<LiveEvent>,
  ): Promise<void> {
    // the browser may have left while core was asked
    if (response.closed) return
    const studioId = account.studio?.studioId ?? account.accountId
    const viewer = enter(studioId)
    // 204 tells an EventSource not to connect again
    if (!viewer) return void response.status(204).end()
    const end = (): void => viewer.abort()
    response.once('close', end)
    const turn = setTimeout(end, options.turnMs).unref()
    try {
      let send: ReturnType<typeof eventStream> | undefined
      for await (const message of read(viewer.signal)) {
        // core answers at once: until then a refusal still gets its status
        send ??= eventStream(response)
        for (const { id, data } of eventsOf(message))
          if (!send(id, data) && !(await drained(response, viewer.signal))) return void response.destroy()
      }
    } catch (error) {
      const isOver = viewer.signal.aborted
      if (!isOver && !response.headersSent) throw error
      // the browser connects again and continues after the last id
      if (!isOver && failureIn(error).reason !== Reason.UNAVAILABLE)
        log.warn({ err: error, path: request.path }, 'a live stream broke')
    } finally {
      clearTimeout(turn)
      leave(studioId, viewer)
    }
    response.end()
    // for a browser that does not read the rest
    const rest = setTimeout(() => response.destroy(), options.patienceMs).unref()
    response.once('close', () => clearTimeout(rest))
  }

  /** False: the viewer has read nothing in time, or is gone. */
  async function drained(response: Response, viewer: AbortSignal): Promise<boolean> {
    const over = new AbortController()
    const signal = AbortSignal.any([viewer, over.signal])
    try {
      return await Promise.race([
        once(response, 'drain', { signal }).then(() => true),
        sleep(options.patienceMs, false, { signal, ref: false }),
      ])
    } catch {
      return false
    } finally {
      over.abort()
    }
  }

  return { push }
}

export type LiveStreams = ReturnType<typeof liveStreams>

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
