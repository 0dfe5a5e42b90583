import { Refusal } from '../refusal.ts'
import type { NumberedEvent } from '../store/sandbox-events.ts'
import type { Session } from '../store/launches.ts'
import type { Store } from '../store/store.ts'

export interface ObserveOptions {
  /** Observers at a time: of one session, of one studio's sessions, and of all. */
  readonly ofSession: number
  readonly ofStudio: number
  readonly inAll: number
  /** How often one looks although nothing was told. */
  readonly pollMs: number
  readonly now?: () => number
}

const page = 100
/** Seconds after the session's end: a game that goes on with its token is seen to be refused. */
const grace = 5 * 60

/** Lets studios watch their sandbox sessions. */
export function observers({ sandboxEvents, sandboxNotices }: Pick<Store, 'sandboxEvents' | 'sandboxNotices'>, { ofSession, ofStudio, inAll, pollMs, now = Date.now }: ObserveOptions) {
  const watching = new Map<string, number>()
  let size = 0
  const closing = new AbortController()

  async function* follow(session: Session, studio: string, after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent[]> {
    const { sessionId: id } = session
    const isFull = (whose: string, most: number): boolean => (watching.get(whose) ?? 0) >= most
    if (size >= inAll || isFull(id, ofSession) || isFull(studio, ofStudio)) throw new Refusal('unavailable', 'Too many look at sandbox sessions at the moment; try again.')
    size++
    for (const whose of [id, studio]) watching.set(whose, (watching.get(whose) ?? 0) + 1)
    let wake = (): void => {}
    let news = true
    const end = sandboxNotices.on(id, () => {
      news = true
      wake()
    })
    const stop = (): void => wake()
    for (const one of [signal, closing.signal]) one.addEventListener('abort', stop)
    try {
      while (!signal.aborted && !closing.signal.aborted && now() / 1000 < session.expires + grace) {
        news = false
        const events = await sandboxEvents.after(id, after, page)
        if (events.length > 0) {
          after = events.at(-1)!.number
          yield events
        }
        if (events.length === page || news) continue
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, pollMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
          if (news || signal.aborted || closing.signal.aborted) wake()
        })
      }
    } finally {
      end()
      for (const one of [signal, closing.signal]) one.removeEventListener('abort', stop)
      size--
      for (const whose of [id, studio]) {
        const left = watching.get(whose)! - 1
        if (left === 0) watching.delete(whose)
        else watching.set(whose, left)
      }
    }
  }

  async function* existing({ sessionId }: Session, after: number): AsyncGenerator<NumberedEvent[]> {
    for (;;) {
      const events = await sandboxEvents.after(sessionId, after, page)
      if (events.length > 0) yield events
      if (events.length < page) return
      after = events.at(-1)!.number
    }
  }

  return {
    /** Every event after this number, then those that come, until the session is over or the signal says so. */
    follow,
    /** Every event after this number that there is. */
    existing,
    /** How many there are. */
    count: (): number => size,
    /** Ends all observers. */
    close: (): void => closing.abort(),
  }
}

export type Observers = ReturnType<typeof observers>
