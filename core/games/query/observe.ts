import { Refusal } from '../../process/refusal.ts'
import type { EventCounts, NumberedEvent } from '../store/sandbox-events.ts'
import type { LaunchSession } from '../store/launches.ts'
import type { Store } from '../../store.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'

export interface ObserveOptions {
  /** Most observers: of one session, of one studio, in all; accounts of the last day share half of the total. */
  readonly ofSession: number
  readonly ofStudio: number
  readonly inAll: number
  /** Milliseconds between looks when no notification arrives. */
  readonly pollMs: number
  readonly now?: () => number
}

const page = 100

export interface Seen {
  readonly events: NumberedEvent[]
  /** With the first page: counts of all events, also of those that are not shown. */
  readonly kept?: EventCounts
}
/** Seconds after the session's end, so that the studio sees refusals of a game that still uses its token. */
const grace = 5 * 60

/** A studio, and whether its account was made in the last day. */
type Watcher = Pick<Developer, 'studioId' | 'isNew'>

interface Viewer extends Watcher {
  readonly session: string
  /** Ends this viewer, because a studio without one takes its slot. */
  readonly end: AbortController
}

const full = (): Refusal =>
  new Refusal('unavailable', 'Too many sandbox sessions are being watched at the moment; try again.')

/** Lets studios watch their sandbox sessions. */
export function observers(
  { sandboxEvents, sandboxNotices }: Pick<Store, 'sandboxEvents' | 'sandboxNotices'>,
  { ofSession, ofStudio, inAll, pollMs, now = Date.now }: ObserveOptions,
) {
  const viewers = new Set<Viewer>()
  const closing = new AbortController()

  /** @throws Refusal */
  function admit(session: string, { studioId, isNew }: Watcher): Viewer {
    const all = [...viewers]
    const own = all.filter((viewer) => viewer.studioId === studioId).length
    if (own >= ofStudio || all.filter((viewer) => viewer.session === session).length >= ofSession) throw full()
    const ofNew = all.filter((viewer) => viewer.isNew)
    if (isNew && ofNew.length >= inAll / 2) makeRoom(ofNew, own)
    else if (all.length >= inAll) makeRoom(all, own)
    const viewer = { session, studioId, isNew, end: new AbortController() }
    viewers.add(viewer)
    return viewer
  }

  /** Ends the oldest viewer of the studio with the most, if the new viewer's studio has none. @throws Refusal */
  function makeRoom(present: readonly Viewer[], own: number): void {
    const [most = []] = Map.groupBy(present, ({ studioId }) => studioId)
      .values()
      .toArray()
      .toSorted((a, b) => b.length - a.length)
    if (own > 0 || most.length < 2) throw full()
    viewers.delete(most[0]!)
    most[0]!.end.abort()
  }

  /** @param renew fails when the observer may see no more; called about every `pollMs` */
  async function* follow(
    session: LaunchSession,
    watcher: Watcher,
    after: number,
    signal: AbortSignal,
    renew: () => Promise<void>,
  ): AsyncGenerator<Seen> {
    const { sessionId: id } = session
    const viewer = admit(id, watcher)
    const ending = [signal, closing.signal, viewer.end.signal]
    const isOver = (): boolean => ending.some(({ aborted }) => aborted)
    let wake = (): void => {}
    let news = true
    const end = sandboxNotices.on(id, () => {
      news = true
      wake()
    })
    const stop = (): void => wake()
    for (const one of ending) one.addEventListener('abort', stop)
    try {
      const first = await sandboxEvents.latest(id, after)
      after = first.events.at(-1)?.number ?? after
      yield first
      let renewed = performance.now()
      while (!isOver() && now() / 1000 < session.expires + grace) {
        if (performance.now() - renewed >= pollMs) {
          await renew()
          renewed = performance.now()
        }
        news = false
        const events = await sandboxEvents.after(id, after, page)
        if (events.length > 0) {
          after = events.at(-1)!.number
          yield { events }
        }
        if (events.length === page || news) continue
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, pollMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
          if (news || isOver()) wake()
        })
      }
      if (viewer.end.signal.aborted) throw full()
    } finally {
      end()
      for (const one of ending) one.removeEventListener('abort', stop)
      viewers.delete(viewer)
    }
  }

  return {
    /** The latest events after this number, then new ones, until the session is over or the signal aborts. */
    follow,
    /** The latest events after this number. */
    existing: ({ sessionId }: LaunchSession, after: number): Promise<Seen> => sandboxEvents.latest(sessionId, after),
    /** Number of observers. */
    count: (): number => viewers.size,
    /** Ends all observers. */
    close: (): void => closing.abort(),
  }
}

export type Observers = ReturnType<typeof observers>
