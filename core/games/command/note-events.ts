import type { Played } from '../../analytics/command/warn-of-plays.ts'
import type { SandboxEvent, SandboxEventStore, SandboxWarning } from '../store/sandbox-events.ts'
import { excerpt } from '../../process/rules/text.ts'

export interface NoteEventsOptions {
  /** Events that may wait to be written: of one session, and of all. */
  readonly ofSession: number
  readonly inAll: number
  /** Milliseconds that an event waits for others, so that one query writes them together. */
  readonly withinMs: number
  /** What may be wrong with what requests of a session stored. */
  readonly warn: (session: string, requests: readonly Played[]) => Promise<SandboxWarning[][]>
  readonly fail: (error: unknown) => void
}

interface Noted extends SandboxEvent {
  readonly played?: Played
}

interface Queue {
  readonly events: Noted[]
  /** Number of events that were dropped because the queue was full. */
  missed: number
}

/** Bytes of a body that are kept. */
const longestBody = 16 * 1024
const longestText = 1_000

/** Stores the requests of sandbox sessions. It writes small batches with bounds, so requests do not wait for it. */
export function noteEvents(
  store: Pick<SandboxEventStore, 'add'>,
  { ofSession, inAll, withinMs, warn, fail }: NoteEventsOptions,
) {
  let sessions = new Map<string, Queue>()
  let size = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    const taken = sessions
    sessions = new Map()
    size = 0
    for (const [session, { events, missed }] of taken) {
      if (missed > 0)
        events.push({
          ...nothing,
          at: Date.now(),
          message: `${missed} more requests came faster than they can be shown.`,
        })
      await store.add(session, await warned(session, events)).catch(fail)
    }
  }

  async function warned(session: string, events: readonly Noted[]): Promise<SandboxEvent[]> {
    const requests = events.flatMap(({ played }) => played ?? [])
    const warnings =
      requests.length === 0 ? [] : await warn(session, requests).catch((error: unknown) => (fail(error), []))
    const of = new Map(requests.map((played, n) => [played, warnings[n]]))
    return events.map(({ played, ...event }) => ({ ...event, warnings: played && of.get(played) }))
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    while (writing) await writing
    writing = write().finally(() => (writing = undefined))
    await writing
  }

  return {
    /** Never waits and never fails. @param body what the game sent, when it is text */
    note(session: string, event: Omit<Noted, 'at' | 'body'>, body: Uint8Array | undefined): void {
      const queue = sessions.get(session) ?? { events: [], missed: 0 }
      if (queue.events.length >= ofSession || size >= inAll) {
        queue.missed++
      } else {
        size++
        const { message, path } = event
        queue.events.push({
          ...event,
          at: Date.now(),
          message: excerpt(message, longestText),
          path: excerpt(path, longestText),
          body: beginning(body),
        })
      }
      if (queue.events.length > 0) sessions.set(session, queue)
      timer ??= setTimeout(() => void flush(), withinMs)
    },
    /** Resolves when all noted events are written. */
    flush,
  }
}

export type NoteEvents = ReturnType<typeof noteEvents>

const nothing: SandboxEvent = { at: 0, request: '', status: 0, message: '', path: '', reason: '', body: '' }

/** The first bytes as text, up to the last whole character. */
function beginning(body: Uint8Array | undefined): string {
  if (body === undefined || body.byteLength === 0) return ''
  return excerpt(new TextDecoder().decode(body.subarray(0, longestBody), { stream: true }), longestBody)
}
